import { setTimeout as pause } from 'node:timers/promises'

const PAUSE_MILLISECONDS = 40

/** Requests that are repeated, each after its own answer, until `end`. */
export class SteadyLoad {
  longestMilliseconds = 0
  private isOver = false
  private loops: Promise<void>[] = []
  private outcomes: Record<string, number> = {}
  private count = 0

  add(...requests: (() => Promise<{ status: number }>)[]): void {
    this.loops.push(...requests.map((send) => this.repeat(send)))
  }

  /** Waits for more answers. */
  async answers(more: number): Promise<void> {
    const enough = this.count + more
    while (this.count < enough) await pause(10)
  }

  /** @returns how many requests ended with each status, or without one */
  async end(): Promise<Record<string, number>> {
    this.isOver = true
    await Promise.all(this.loops)
    return this.outcomes
  }

  private async repeat(send: () => Promise<{ status: number }>): Promise<void> {
    while (!this.isOver) {
      const startedAt = performance.now()
      const outcome = await send().then(
        ({ status }) => status,
        (error: Error) => error.message,
      )
      this.longestMilliseconds = Math.max(this.longestMilliseconds, performance.now() - startedAt)
      this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1
      this.count += 1
      await pause(PAUSE_MILLISECONDS)
    }
  }
}
