import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { GROUP_AND_OTHERS } from '../files/file-mode.ts'
import { resolveLinks } from './resolve-links.ts'
import { StatementCache } from './sqlite-statements.ts'
import { DatabaseUnavailable } from './unavailable.ts'

/** Enough for the upper levels of every index: a session look-up takes 10 µs instead of 16 µs. */
export const CACHE_KIBIBYTES = 65_536
/** The -wal file grows during a backup or a long read, and shrinks to this size afterwards. */
const WAL_BYTES_MAXIMUM = 64 * 1024 * 1024
/** From this size on, the writer copies the pages, because the checkpointer has not. */
const WAL_PAGES_MAXIMUM = WAL_BYTES_MAXIMUM / 4096

export interface SqliteFile {
  writer: StatementCache
  reader: StatementCache
  /** @throws DatabaseUnavailable when the files were removed or replaced: changes would be lost, and reads outdated */
  assertInPlace(maximumAgeMilliseconds?: number): void
}

/** Creates a missing file and folder. */
export function openFile(path: string, busyMilliseconds: number): SqliteFile {
  restrictToOwner(path)
  const writer = new DatabaseSync(path, { timeout: busyMilliseconds, enableForeignKeyConstraints: true })
  // Without secure_delete, deleted users and rows under a replaced SECRET stay in free space, also of later backups.
  writer.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -${CACHE_KIBIBYTES};
    PRAGMA journal_size_limit = ${WAL_BYTES_MAXIMUM}; PRAGMA wal_autocheckpoint = ${WAL_PAGES_MAXIMUM};
    PRAGMA secure_delete = ON;`)
  const reader = new DatabaseSync(path, { readOnly: true, timeout: busyMilliseconds })
  // The first read creates a missing -wal file.
  reader.exec(`PRAGMA cache_size = -${CACHE_KIBIBYTES}; SELECT 1 FROM sqlite_schema`)
  // From here on the driver waits for a locked file without blocking the event loop.
  for (const connection of [writer, reader]) connection.exec('PRAGMA busy_timeout = 0')
  // Without the -shm file, another process does not see the locks of this one, and overwrites its commits.
  const files = [path, `${resolveLinks(path)}-wal`, `${resolveLinks(path)}-shm`]
  const opened = identify(files)
  let inPlaceAt = performance.now()
  const assertInPlace = (maximumAgeMilliseconds = 0) => {
    const now = performance.now()
    if (now - inPlaceAt < maximumAgeMilliseconds) return
    if (identify(files) !== opened) throw new DatabaseUnavailable(`${path} was removed or replaced`)
    inPlaceAt = now
  }
  return { writer: new StatementCache(writer), reader: new StatementCache(reader), assertInPlace }
}

/** SQLite gives -wal and -shm the mode of the database. */
function restrictToOwner(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // Only a new file is opened here, because closing a file of SQLite would release SQLite's locks (POSIX).
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  const realPath = resolveLinks(path)
  for (const file of [realPath, `${realPath}-wal`, `${realPath}-shm`]) {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0
    if ((mode & GROUP_AND_OTHERS) !== 0) chmodSync(file, 0o600)
  }
}

function identify(files: string[]): string {
  return files.map((file) => statSync(file, { throwIfNoEntry: false })?.ino).join()
}
