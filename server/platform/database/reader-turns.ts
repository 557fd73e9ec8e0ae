import type { DatabaseConnection, Driver } from 'kysely'
import { findLongReader } from './time-budget.ts'
import { createTurns, takeTurnInTime } from './turns.ts'

/** One user's statements must not occupy SQLite's thread for long reads, or all PostgreSQL connections for them. */
export function withReaderTurns(driver: Driver): Driver {
  const turns = createTurns()
  const endings = new WeakMap<DatabaseConnection, () => void>()
  const acquire = driver.acquireConnection.bind(driver)
  const release = driver.releaseConnection.bind(driver)

  return Object.assign(driver, {
    async acquireConnection() {
      const reader = findLongReader()
      if (reader === undefined) return acquire()
      const endTurn = await takeTurnInTime(turns, reader, 1)
      try {
        const connection = await acquire()
        endings.set(connection, endTurn)
        return connection
      } catch (error) {
        endTurn()
        throw error
      }
    },
    async releaseConnection(connection: DatabaseConnection) {
      endings.get(connection)?.()
      endings.delete(connection)
      await release(connection)
    },
  })
}
