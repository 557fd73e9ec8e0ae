import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { CompiledQuery } from 'kysely'
import { CACHE_KIBIBYTES } from './sqlite-file.ts'
import type { ReaderJob, ReaderOutcome } from './sqlite-reader.ts'
import { StatementCache } from './sqlite-statements.ts'

/** The response is due within 2 s. */
const BUSY_MILLISECONDS = 1_500

const connection = new DatabaseSync(workerData as string, { readOnly: true, timeout: BUSY_MILLISECONDS })
connection.exec(`PRAGMA cache_size = -${CACHE_KIBIBYTES}`)
const statements = new StatementCache(connection)

parentPort?.on('message', ({ sql, parameters }: ReaderJob) => parentPort?.postMessage(run(sql, parameters)))

function run(sql: string, parameters: readonly unknown[]): ReaderOutcome {
  try {
    return { rows: statements.run(CompiledQuery.raw(sql, [...parameters])).rows }
  } catch (error) {
    return { error: error as Error, errcode: (error as { errcode?: unknown }).errcode }
  }
}
