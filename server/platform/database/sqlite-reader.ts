import { Worker } from 'node:worker_threads'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { DatabaseUnavailable } from './unavailable.ts'

/** To the thread. */
export interface ReaderJob {
  id: number
  sql: string
  parameters: readonly unknown[]
}
/** From the thread. */
export type ReaderOutcome = { id: number } & ({ rows: unknown[] } | { error: Error; errcode: unknown })

/**
 * Kysely on a thread that only reads, one statement after the other, on a connection of its own: what takes long there
 * takes nothing from the main thread. The thread starts with the first question.
 * @param path of a file that is there
 */
export class SqliteReaderDialect implements Dialect {
  private path: string
  constructor(path: string) {
    this.path = path
  }
  createDriver = (): Driver => new ReaderDriver(this.path)
  createAdapter = (): SqliteAdapter => new SqliteAdapter()
  createQueryCompiler = (): SqliteQueryCompiler => new SqliteQueryCompiler()
  createIntrospector = (database: Kysely<unknown>): SqliteIntrospector => new SqliteIntrospector(database)
}

type Waiting = PromiseWithResolvers<unknown[]>

class ReaderDriver implements Driver {
  private path: string
  private worker: Worker | undefined
  private waiting = new Map<number, Waiting>()
  private lastId = 0

  constructor(path: string) {
    this.path = path
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return {
      executeQuery: async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => ({
        rows: (await this.ask(query)) as Row[],
      }),
      // biome-ignore lint/correctness/useYield: streaming has no user here.
      async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
        throw new Error('Streaming is not supported on SQLite')
      },
    }
  }

  async beginTransaction(): Promise<void> {
    throw new Error('The reader has no transactions')
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    await this.worker?.terminate()
  }

  private ask({ sql, parameters }: CompiledQuery): Promise<unknown[]> {
    this.worker ??= this.start()
    this.lastId += 1
    const job: ReaderJob = { id: this.lastId, sql, parameters }
    const waiting: Waiting = Promise.withResolvers()
    this.waiting.set(job.id, waiting)
    // While somebody waits, the process stays.
    this.worker.ref()
    this.worker.postMessage(job)
    return waiting.promise
  }

  private start(): Worker {
    const worker = new Worker(new URL('./sqlite-reader-worker.ts', import.meta.url), { workerData: this.path })
    worker.on('message', (outcome: ReaderOutcome) => this.settle(outcome))
    worker.on('error', (cause: Error) => this.fail(cause))
    worker.on('exit', () => this.fail())
    return worker
  }

  private settle(outcome: ReaderOutcome): void {
    const waiting = this.waiting.get(outcome.id)
    this.waiting.delete(outcome.id)
    if (this.waiting.size === 0) this.worker?.unref()
    if ('rows' in outcome) waiting?.resolve(outcome.rows)
    // The code does not come through with the error, and says whether the database is unavailable.
    else waiting?.reject(Object.assign(outcome.error, { errcode: outcome.errcode }))
  }

  /** The next question starts another thread. */
  private fail(cause?: Error): void {
    this.worker = undefined
    const error = new DatabaseUnavailable('The reader has ended', { cause })
    for (const { reject } of this.waiting.values()) reject(error)
    this.waiting.clear()
  }
}
