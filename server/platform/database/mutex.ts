import { DatabaseUnavailable } from './unavailable.ts'

/** One holder at a time, in the order of asking. */
export function createMutex(): { lock(milliseconds: number): Promise<() => void> } {
  let last: Promise<void> = Promise.resolve()

  return {
    /** @returns what gives the lock back. @throws DatabaseUnavailable when others hold it for longer than the limit */
    async lock(milliseconds) {
      const before = last
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      last = before.then(() => released)
      const timer = Promise.withResolvers<never>()
      const message = `Other transactions held the database for ${Math.round(milliseconds)} ms`
      const timeout = setTimeout(() => timer.reject(new DatabaseUnavailable(message)), milliseconds)
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
