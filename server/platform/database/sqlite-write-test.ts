import { DatabaseSync } from 'node:sqlite'

/** More than any transaction of ours writes. */
const BYTES = 128 * 1024

/**
 * Writes to the disk what is never committed. A cache of one page makes SQLite write the pages of the transaction to the
 * -wal file at once, so that a full disk is found. After the rollback the next transaction writes over them.
 * @throws when the file is locked or can't be written
 */
export function testWrite(path: string): void {
  const connection = new DatabaseSync(path, { timeout: 0 })
  try {
    connection.exec(`PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE;
      CREATE TABLE "writeTest" (bytes BLOB); INSERT INTO "writeTest" VALUES (zeroblob(${BYTES})); ROLLBACK;`)
  } finally {
    // Closing rolls back what an error left open.
    connection.close()
  }
}
