import { statSync } from 'node:fs'
import { isBusy, isUnopened } from '../../platform/database/sqlite-statements.ts'
import { openSqliteSnapshot } from './open-sqlite-snapshot.ts'
import type { JsonRow, SourceConnection } from './source-connection.ts'
import { SourceError } from './source-error.ts'

export const LOCK_MILLISECONDS = 5_000
/** SQLite result codes: FULL, IOERR_WRITE. Only temporary files are written, never the source. */
const UNWRITTEN_CODES = [13, 778]
/** SQLite result code: READONLY_ROLLBACK. */
const UNFINISHED_CODE = 776

/** @param lockMilliseconds how long another program may lock the file @throws SourceError */
export function openSqliteSource(path: string, lockMilliseconds = LOCK_MILLISECONDS): SourceConnection {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw new SourceError(`there is no file ${path}`)
  if (!found.isFile()) throw new SourceError(`${path} is no file`)
  const { database, columns } = reading(() => openSqliteSnapshot(path, lockMilliseconds))
  return {
    functions: { object: 'json_object', list: 'json_group_array' },
    async readColumns() {
      return columns
    },
    async assertReadable(sql) {
      reading(() => database.prepare(sql))
    },
    async *readBatches(sql, batchSize) {
      const rows = reading(() => database.prepare(sql).iterate() as NodeJS.Iterator<JsonRow>)
      while (true) {
        const batch = reading(() => take(rows, batchSize))
        if (batch.length === 0) return
        yield batch
      }
    },
    async close() {
      database.close()
    },
  }
}

function take(rows: NodeJS.Iterator<JsonRow>, count: number): JsonRow[] {
  const batch: JsonRow[] = []
  while (batch.length < count) {
    const { value, done } = rows.next()
    if (done) return batch
    batch.push(value)
  }
  return batch
}

function reading<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (cause) {
    throw new SourceError(describe(cause as Error & { code?: string; errcode?: number }), { cause })
  }
}

function describe(error: Error & { code?: string; errcode?: number }): string {
  if (isBusy(error)) return 'another program locks it. Import when that is done'
  if (UNWRITTEN_CODES.includes(error.errcode ?? 0))
    return `temporary files can't be written: ${error.message}. Make room in TMPDIR (otherwise /var/tmp), or set it to another folder`
  if (error.errcode === UNFINISHED_CODE)
    return 'its last program was killed during a change. Start and stop that program once, and import again'
  if (error.code === 'EACCES' || isUnopened(error))
    return `${error.message}. Run the command as the user of Better Auth`
  return error.message
}
