import type { FastifyBaseLogger } from 'fastify'

export interface PeriodicWork {
  start(): void
  /** Resolves after the current run. No other run follows. */
  stop(): Promise<void>
}

/**
 * Runs work immediately and again after each pause. Runs never overlap. A failed run is logged.
 * @param failureMessage for the log
 */
export function runPeriodically(
  { log }: { log: FastifyBaseLogger },
  pauseMilliseconds: number,
  failureMessage: string,
  work: () => Promise<void>,
): PeriodicWork {
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  function begin(): void {
    running = work()
      .catch((error) => log.error({ err: error }, failureMessage))
      .then(() => {
        if (!stopped) timer = setTimeout(begin, pauseMilliseconds)
      })
  }

  return {
    start: begin,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
