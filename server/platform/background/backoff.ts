import type { Runtime } from '../context.ts'
import { MINUTE_MILLISECONDS } from '../time/time-units.ts'

const FIRST_DELAY_MILLISECONDS = 5_000
/** Short, so that deliveries continue soon after the other server is available again. */
const LONGEST_PAUSE_MILLISECONDS = MINUTE_MILLISECONDS

/** The jitter spreads the attempts of many processes. @returns milliseconds */
export function delayBeforeRetry(
  { randomBytes }: Pick<Runtime, 'randomBytes'>,
  attempts: number,
  longestMilliseconds: number,
): number {
  const milliseconds = Math.min(FIRST_DELAY_MILLISECONDS * 2 ** Math.min(attempts - 1, 20), longestMilliseconds)
  return Math.round(milliseconds * (0.75 + ((randomBytes(1)[0] ?? 0) / 255) * 0.5))
}

/** Pauses the deliveries of this process to a server that is not available: the mail server, or the one of a client. */
export interface Backoff {
  isPaused(): boolean
  /** The number of answers so far. A growing number shows that the server is available. */
  responseCount(): number
  /** After a failure, only one connection tries. */
  isOnProbation(): boolean
  recordResponse(): void
  /** @returns the pause in milliseconds, the same for connections that fail together */
  recordFailure(): number
}

export function createBackoff(runtime: Pick<Runtime, 'now' | 'randomBytes'>): Backoff {
  let answers = 0
  let failuresInARow = 0
  let resumeAt = 0

  // A clock that is set back must not make the pause longer.
  const remainingMilliseconds = () => {
    const milliseconds = resumeAt - runtime.now()
    return milliseconds > 2 * LONGEST_PAUSE_MILLISECONDS ? 0 : milliseconds
  }

  return {
    isPaused: () => remainingMilliseconds() > 0,
    responseCount: () => answers,
    isOnProbation: () => failuresInARow > 0,
    recordResponse() {
      answers += 1
      failuresInARow = 0
      resumeAt = 0
    },
    recordFailure() {
      if (remainingMilliseconds() <= 0) {
        failuresInARow += 1
        resumeAt = runtime.now() + delayBeforeRetry(runtime, failuresInARow, LONGEST_PAUSE_MILLISECONDS)
      }
      return remainingMilliseconds()
    },
  }
}
