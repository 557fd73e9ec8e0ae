import { ApiError } from '../../platform/http/errors.ts'

/** Lists of one user that a process reads or sends concurrently. The longest list has 10 MB. */
export const CONCURRENT_LISTS_MAXIMUM = 4
const WAIT_MILLISECONDS = 5_000

interface Reader {
  runningCount: number
  waiting: Set<() => void>
}

export interface ListTurns {
  /**
   * Waits until fewer than four lists of the user are read or sent.
   * @returns ends the turn, however often it is called: a list may have a second response, for an error
   * @throws ApiError TOO_MANY_REQUESTS after five seconds
   */
  take(userId: string): Promise<() => void>
}

/**
 * Bounds the memory of the lists of one user: a client that does not read its response holds all of it in the process
 * until it is disconnected.
 */
export function createListTurns(waitMilliseconds = WAIT_MILLISECONDS): ListTurns {
  const readers = new Map<string, Reader>()

  function endTurn(userId: string, reader: Reader): void {
    const [next] = reader.waiting
    if (next) next()
    else reader.runningCount -= 1
    if (reader.runningCount === 0) readers.delete(userId)
  }

  return {
    async take(userId) {
      const reader = readers.get(userId) ?? { runningCount: 0, waiting: new Set() }
      readers.set(userId, reader)
      if (reader.runningCount < CONCURRENT_LISTS_MAXIMUM) reader.runningCount += 1
      else await waitForTurn(reader, waitMilliseconds)
      let hasEnded = false
      return () => {
        if (hasEnded) return
        hasEnded = true
        endTurn(userId, reader)
      }
    },
  }
}

function waitForTurn({ waiting }: Reader, waitMilliseconds: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const begin = () => {
    clearTimeout(timer)
    waiting.delete(begin)
    resolve()
  }
  const timer = setTimeout(() => {
    waiting.delete(begin)
    reject(new ApiError('TOO_MANY_REQUESTS', { retryAfterSeconds: Math.ceil(waitMilliseconds / 1000) }))
  }, waitMilliseconds)
  waiting.add(begin)
  return promise
}
