import { setTimeout as pause } from 'node:timers/promises'
import type { PoolClient } from './postgres-pool.ts'
import { withoutTimeBudget } from './time-budget.ts'

export type IsAtWork = (client: PoolClient) => Promise<boolean>

/** How often the server is asked whether a process has ended. */
const ASK_MILLISECONDS = 1_000

/**
 * Connections whose results are late. A connection keeps its place in the pool while its server process is at work. A
 * COMMIT that waits for a standby has no time limit, and its process does not notice that the connection is closed.
 * Without this, such processes would use up the connections of the server.
 */
export class GivenUpConnections {
  private clients = new Set<PoolClient>()
  private isAtWork: IsAtWork

  constructor(isAtWork: IsAtWork = async () => false) {
    this.isAtWork = isAtWork
  }

  /** @param answering settles with the result, or the end of the connection */
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
