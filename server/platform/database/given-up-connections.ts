import { setTimeout as pause } from 'node:timers/promises'
import type { PoolClient } from './postgres-pool.ts'
import { withoutTimeBudget } from './time-budget.ts'

export type IsAtWork = (client: PoolClient) => Promise<boolean>

const ASK_MILLISECONDS = 1_000

/** A COMMIT that waits for a standby ignores a closed connection, and would use up the connections of the server. */
export class GivenUpConnections {
  private clients = new Set<PoolClient>()
  private isAtWork: IsAtWork

  constructor(isAtWork: IsAtWork = async () => false) {
    this.isAtWork = isAtWork
  }

  add(client: PoolClient, answering: Promise<unknown>): void {
    this.clients.add(client)
    const destroy = () => this.destroy(client)
    answering.then(destroy, destroy)
    withoutTimeBudget(() => this.waitWhileAtWork(client)).finally(destroy)
  }

  destroyAll(): void {
    for (const client of this.clients) this.destroy(client)
  }

  private async waitWhileAtWork(client: PoolClient): Promise<void> {
    while (this.clients.has(client) && (await this.isAtWork(client)))
      await pause(ASK_MILLISECONDS, undefined, { ref: false })
  }

  private destroy(client: PoolClient): void {
    if (!this.clients.delete(client)) return
    client.destroy()
    client.release(true)
  }
}
