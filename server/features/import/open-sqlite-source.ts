import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type JsonRow, type SourceConnection, toColumns } from './source-connection.ts'
import { SourceError } from './source-error.ts'

/** @throws SourceError */
export function openSqliteSource(path: string): SourceConnection {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw new SourceError(`there is no file ${path}`)
  if (!found.isFile()) throw new SourceError(`${path} is no file`)
  const database = reading(() => {
    const opened = new DatabaseSync(path, { readOnly: true })
    opened.exec('begin')
    return opened
  })
  return {
    functions: { object: 'json_object', list: 'json_group_array' },
    async readColumns() {
      const sql = `select m.name as "table", c.name as "column" from sqlite_schema m, pragma_table_info(m.name) c
        where m.type = 'table'`
      return reading(() => toColumns(database.prepare(sql).all() as { table: string; column: string }[]))
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

/** @throws SourceError */
function reading<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (cause) {
    throw new SourceError((cause as Error).message, { cause })
  }
}
