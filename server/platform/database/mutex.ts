import { endWithin } from './time-budget.ts'

export function createMutex(): { lock(milliseconds: number): Promise<() => void> } {
  let last: Promise<void> = Promise.resolve()

  return {
    /** @returns the function that releases the lock. @throws DatabaseUnavailable after the milliseconds */
    async lock(milliseconds) {
      const before = last
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      last = before.then(() => released)
      try {
        await endWithin(milliseconds, before, 'Other transactions held the database for')
        return release
      } catch (error) {
        release()
        throw error
      }
    },
  }
}
