import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StatementCache } from './sqlite-statements.ts'
import { DatabaseUnavailable } from './unavailable.ts'

/** Enough to hold the upper levels of every index; it takes a session look-up from 16 µs to 10 µs. */
const CACHE_KIBIBYTES = 65_536
/** A backup or a long read can make the -wal file grow; when it is over, the file shrinks to this. */
const WAL_BYTES_MAXIMUM = 64 * 1024 * 1024
const GROUP_AND_OTHERS = 0o077

/** One connection writes, the other one reads, so that a read never sees what is not committed. */
export interface SqliteFile {
  writer: StatementCache
  reader: StatementCache
  /** @throws DatabaseUnavailable when the files were removed or replaced: what is written then would be lost */
  assertInPlace(): void
}

/** Opens the file, and makes it and its folder where they are not there. @param busyMilliseconds to wait while opening */
export function openFile(path: string, busyMilliseconds: number): SqliteFile {
  makePrivate(path)
  const writer = new DatabaseSync(path, { timeout: busyMilliseconds, enableForeignKeyConstraints: true })
  writer.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -${CACHE_KIBIBYTES};
    PRAGMA journal_size_limit = ${WAL_BYTES_MAXIMUM};`)
  const reader = new DatabaseSync(path, { readOnly: true, timeout: busyMilliseconds })
  // The first read makes the -wal file, if it is not there.
  reader.exec(`PRAGMA cache_size = -${CACHE_KIBIBYTES}; SELECT 1 FROM sqlite_schema`)
  // From here on a busy file is waited for without blocking the event loop; see the driver.
  for (const connection of [writer, reader]) connection.exec('PRAGMA busy_timeout = 0')
  const opened = identify(path)
  const assertInPlace = () => {
    if (identify(path) !== opened) throw new DatabaseUnavailable(`${path} was removed or replaced`)
  }
  return { writer: new StatementCache(writer), reader: new StatementCache(reader), assertInPlace }
}

/** The database holds personal data: its owner alone may read it. SQLite gives -wal and -shm the mode of the database. */
function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // Only a new file is opened here: closing one that SQLite has open would drop SQLite's locks (POSIX).
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0
    if ((mode & GROUP_AND_OTHERS) !== 0) chmodSync(file, 0o600)
  }
}

function identify(path: string): string {
  return [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.ino).join()
}
