import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StatementCache } from './sqlite-statements.ts'

/** Enough to hold the upper levels of every index; it takes a session look-up from 16 µs to 10 µs. */
const CACHE_KIBIBYTES = 65_536

/** One connection writes, the other one reads, so that a read never sees what is not committed. */
export interface SqliteFile {
  writer: StatementCache
  reader: StatementCache
}

/** Opens the file, and makes it and its folder where they are not there. @param busyMilliseconds to wait while opening */
export function openFile(path: string, busyMilliseconds: number): SqliteFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const writer = new DatabaseSync(path, { timeout: busyMilliseconds, enableForeignKeyConstraints: true })
  writer.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -${CACHE_KIBIBYTES};`)
  // From here on a busy file is waited for without blocking the event loop; see `begin`.
  writer.exec('PRAGMA busy_timeout = 0')
  const reader = new DatabaseSync(path, { readOnly: true, timeout: busyMilliseconds })
  reader.exec(`PRAGMA cache_size = -${CACHE_KIBIBYTES}`)
  return { writer: new StatementCache(writer), reader: new StatementCache(reader) }
}
