import { DatabaseSync } from 'node:sqlite'

/** More than any transaction of the service writes. */
const BYTES = 128 * 1024

/**
 * Writes to the disk without a commit. With a cache of one page, SQLite writes the pages of the transaction to the -wal
 * file immediately, which detects a full disk. The next transaction overwrites them.
 * @throws when the file is locked or can't be written
 */
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
