import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { Kysely } from 'kysely'
import type { Config } from '../config/config.ts'
import { onConnection } from './on-connection.ts'
import { openDatabase } from './open.ts'
import { addressForReading, isMissing } from './open-for-reading.ts'
import { WrongDatabaseError } from './own-tables.ts'
import { isDamaged, primaryCodeOf } from './sqlite-statements.ts'
import type { Tables } from './tables.ts'

const BUSY_MILLISECONDS = 5_000
const SQLITE_CANTOPEN = 14

/** @throws WrongDatabaseError when there is no file, or an empty one */
export function assertFile(settings: Config['database']): void {
  if (settings.engine === 'sqlite' && isMissing(settings.path))
    throw new WrongDatabaseError(`DATABASE_URL names no database: there is no file ${settings.path}.`)
}

/** The service would change the mode and the journal of a wrong file. @throws WrongDatabaseError */
export async function inspectFile(
  settings: Config['database'],
  inspect: (database: Kysely<Tables>) => Promise<void>,
): Promise<void> {
  if (settings.engine !== 'sqlite' || isMissing(settings.path)) return
  // Only a connection that may write can roll back the transaction of a killed process.
  const address = `${pathToFileURL(settings.path).href}?mode=rw`
  await readSqliteFile(settings.path, address, inspect)
}

/** Creates and changes no file. @returns undefined without a file. @throws WrongDatabaseError */
export async function readUnchanged<T>(
  settings: Config['database'],
  read: (database: Kysely<Tables>) => Promise<T>,
): Promise<T | undefined> {
  if (settings.engine === 'sqlite') {
    const address = addressForReading(settings.path)
    return address === undefined ? undefined : readSqliteFile(settings.path, address, read, { readOnly: true })
  }
  const { database, close } = openDatabase(settings, () => {})
  return read(database).finally(close)
}

async function readSqliteFile<T>(
  path: string,
  address: string,
  read: (database: Kysely<Tables>) => Promise<T>,
  options: { readOnly?: boolean } = {},
): Promise<T> {
  let connection: DatabaseSync | undefined
  try {
    connection = new DatabaseSync(address, { ...options, timeout: BUSY_MILLISECONDS })
    return await read(onConnection(connection))
  } catch (error) {
    throw explain(error, path)
  } finally {
    connection?.close()
  }
}

function explain(error: unknown, path: string): unknown {
  const { message } = error as Error
  if (isDamaged(error))
    return new WrongDatabaseError(
      `The file ${path} is damaged, or is no SQLite database: ${message}. Check DATABASE_URL. If the file is damaged, restore a backup (docs/backup.md).`,
    )
  if (primaryCodeOf(error) === SQLITE_CANTOPEN)
    return new WrongDatabaseError(
      `The file ${path} can't be opened: ${message}. Let the user of the service read and write it and its folder, or check DATABASE_URL.`,
    )
  return error
}
