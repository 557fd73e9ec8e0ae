import type { FastifyBaseLogger } from 'fastify'

/** Work that goes on beside the requests. */
export interface RepeatedWork {
  start(): void
  /** Resolves when the work at hand is done; none follows. */
  stop(): Promise<void>
}

/**
 * Does something at once and then again and again, one at a time, with a pause after each. What fails is logged, and comes
 * around again.
 * @param complaint for the log
 */
export function repeat(
  { log }: { log: FastifyBaseLogger },
  pauseMilliseconds: number,
  complaint: string,
  work: () => Promise<void>,
): RepeatedWork {
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  function begin(): void {
    running = work()
      .catch((error) => log.error({ err: error }, complaint))
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
