import { DatabaseUnavailable } from './unavailable.ts'

/** A lock for one transaction at a time, first come, first served. */
export function createMutex(): { lock(milliseconds: number): Promise<() => void> } {
  let last: Promise<void> = Promise.resolve()

  return {
    /** @returns the function that releases the lock. @throws DatabaseUnavailable after the milliseconds */
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
