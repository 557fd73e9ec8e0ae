import { DatabaseSync } from 'node:sqlite'

/** More than any transaction of the service writes. */
const BYTES = 128 * 1024

/** With a cache of one page, SQLite writes to the -wal file without a commit. @throws when it can't write */
export function testWrite(path: string): void {
  const connection = new DatabaseSync(path, { timeout: 0 })
  try {
    connection.exec(`PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE;
      CREATE TABLE "writeTest" (bytes BLOB); INSERT INTO "writeTest" VALUES (zeroblob(${BYTES})); ROLLBACK;`)
  } finally {
    // Closing rolls back after an error.
    connection.close()
  }
}
