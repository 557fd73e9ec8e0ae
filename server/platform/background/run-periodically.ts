import type { FastifyBaseLogger } from 'fastify'

export interface PeriodicWork {
  start(): void
  /** Resolves after the current run, which the signal shortens. No other run follows. */
  stop(): Promise<void>
}

/** Runs never overlap, and a failed run is logged. `stop` aborts the signal of `work`. */
export function runPeriodically(
  { log }: { log: FastifyBaseLogger },
  pauseMilliseconds: number,
  failureMessage: string,
  work: (signal: AbortSignal) => Promise<void>,
): PeriodicWork {
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const stopping = new AbortController()

  function begin(): void {
    running = work(stopping.signal)
      .catch((error) => log.error({ err: error }, failureMessage))
      .then(() => {
        if (!stopping.signal.aborted) timer = setTimeout(begin, pauseMilliseconds)
      })
  }

  return {
    start: begin,
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await running
    },
  }
}
