import pg from 'pg'
import { type JsonRow, type SourceConnection, toColumns } from './source-connection.ts'
import { SourceError } from './source-error.ts'

const CONNECT_MILLISECONDS = 10_000

/** @throws SourceError, whose message does not contain the URL, because that has a password */
export async function openPostgresSource(url: string): Promise<SourceConnection> {
  const client = await reading(async () => {
    const opened = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MILLISECONDS })
    // The next statement fails with the reason of a lost connection.
    opened.on('error', () => {})
    await opened.connect()
    await opened.query('begin transaction isolation level repeatable read, read only')
    return opened
  })
  return {
    functions: { object: 'json_build_object', list: 'json_agg' },
    async readColumns() {
      const sql = `select table_name as "table", column_name as "column" from information_schema.columns
        where table_schema = current_schema()`
      const { rows } = await reading(() => client.query<{ table: string; column: string }>(sql))
      return toColumns(rows)
    },
    async *readBatches(sql, batchSize) {
      await reading(() => client.query(`declare source_rows no scroll cursor for ${sql}`))
      while (true) {
        const { rows } = await reading(() => client.query<JsonRow>(`fetch ${batchSize} from source_rows`))
        if (rows.length === 0) break
        yield rows
      }
      await reading(() => client.query('close source_rows'))
    },
    close: () => client.end(),
  }
}

/** @throws SourceError */
async function reading<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (cause) {
    const { message, code } = cause as NodeJS.ErrnoException
    throw new SourceError(message || code, { cause })
  }
}
