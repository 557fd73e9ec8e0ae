/** One holder at a time, in the order of asking; who waits longer than the limit is told so instead of waiting on. */
export function createMutex(waitMilliseconds: number): { lock(): Promise<() => void> } {
  let last: Promise<void> = Promise.resolve()

  return {
    async lock() {
      const before = last
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      last = before.then(() => released)
      const timer = Promise.withResolvers<never>()
      const timeout = setTimeout(() => timer.reject(new MutexTimeout(waitMilliseconds)), waitMilliseconds)
      try {
        await Promise.race([before, timer.promise])
        return release
      } catch (error) {
        release()
        throw error
      } finally {
        clearTimeout(timeout)
      }
    },
  }
}

/** The lock was not given back in time: something slow, or a deadlock, is in another transaction. */
export class MutexTimeout extends Error {
  override name = 'MutexTimeout'
  constructor(waitMilliseconds: number) {
    super(`Another transaction held the database for more than ${waitMilliseconds} ms`)
  }
}
