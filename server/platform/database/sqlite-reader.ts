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

export interface ReaderJob {
  id: number
  sql: string
  parameters: readonly unknown[]
}
export type ReaderOutcome = { id: number } & ({ rows: unknown[] } | { error: Error; errcode: unknown })

/**
 * Kysely on a worker thread with its own read-only connection, so that slow reads do not block the main thread. The thread
 * starts with the first query.
 * @param path of an existing file
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
        rows: (await this.run(query)) as Row[],
      }),
      // biome-ignore lint/correctness/useYield: no query is streamed.
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

  private run({ sql, parameters }: CompiledQuery): Promise<unknown[]> {
    this.worker ??= this.start()
    this.lastId += 1
    const job: ReaderJob = { id: this.lastId, sql, parameters }
    const waiting: Waiting = Promise.withResolvers()
    this.waiting.set(job.id, waiting)
    // A waiting query keeps the process alive.
    this.worker.ref()
    this.worker.postMessage(job)
    return waiting.promise
  }

  private start(): Worker {
    const worker = this.createWorker()
    worker.on('message', (outcome: ReaderOutcome) => this.complete(outcome))
    worker.on('error', (cause: Error) => this.fail(worker, cause))
    worker.on('exit', () => this.fail(worker))
    return worker
  }

  private createWorker(): Worker {
    try {
      return new Worker(new URL('./sqlite-reader-worker.ts', import.meta.url), { workerData: this.path })
    } catch (cause) {
      throw new DatabaseUnavailable('The reader can not start, because the system has no thread left', { cause })
    }
  }

  private complete(outcome: ReaderOutcome): void {
    const waiting = this.waiting.get(outcome.id)
    this.waiting.delete(outcome.id)
    if (this.waiting.size === 0) this.worker?.unref()
    if ('rows' in outcome) waiting?.resolve(outcome.rows)
    // postMessage drops the property errcode, which `isUnavailable` reads.
    else waiting?.reject(Object.assign(outcome.error, { errcode: outcome.errcode }))
  }

  /** The next query starts a new thread, also between the events `error` and `exit` of the failed one. */
  private fail(failed: Worker, cause?: Error): void {
    if (this.worker !== failed) return
    this.worker = undefined
    const error = new DatabaseUnavailable('The reader has ended', { cause })
    for (const { reject } of this.waiting.values()) reject(error)
    this.waiting.clear()
  }
}
