import { DatabaseSync } from 'node:sqlite'
import { isBusy } from '../sqlite-statements.ts'
import { CopyError } from './copy-error.ts'

const BUSY_MILLISECONDS = 5_000

/** In WAL mode, a read transaction blocks no writer. @param address a path or a URI */
export function openSnapshot(address: string): DatabaseSync {
  const connection = new DatabaseSync(address, { readOnly: true, timeout: BUSY_MILLISECONDS })
  try {
    // BEGIN reads nothing. The first read chooses the view.
    connection.exec('begin; select 1 from sqlite_schema')
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** A copy reads rows in the order of an index, and would lose rows that the index lacks. @throws CopyError */
export function assertUndamaged(connection: DatabaseSync, path: string, advice: string): void {
  const [result] = connection.prepare('pragma integrity_check(1)').all()
  if (result?.integrity_check === 'ok') return
  const damage = String(result?.integrity_check).replaceAll('\n', ' ')
  throw new CopyError(`${path} is damaged: ${damage}. ${advice}`)
}

/** An open connection of another process prevents the lock, which ends with this connection. @throws CopyError */
export function openExclusively(path: string): DatabaseSync {
  const connection = new DatabaseSync(path, { timeout: BUSY_MILLISECONDS })
  try {
    connection.exec('pragma locking_mode = exclusive; begin immediate')
    return connection
  } catch (error) {
    connection.close()
    if (!isBusy(error)) throw error
    throw new CopyError(
      `Another process uses ${path}. Stop every process of Accounts on it, and run the command again.`,
    )
  }
}
