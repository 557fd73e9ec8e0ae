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
import { withReaderTurns } from './reader-turns.ts'
import { refuseStreaming } from './refuse-streaming.ts'
import { endWithin, spendTime } from './time-budget.ts'
import { DatabaseUnavailable } from './unavailable.ts'

export interface ReaderJob {
  sql: string
  parameters: readonly unknown[]
}
export type ReaderOutcome = { rows: unknown[] } | { error: Error; errcode: unknown }

/** Slow reads must not block the main thread. @param path of an existing file */
export class SqliteReaderDialect implements Dialect {
  private path: string
  constructor(path: string) {
    this.path = path
  }
  createDriver = (): Driver => withReaderTurns(new ReaderDriver(this.path))
  createAdapter = (): SqliteAdapter => new ConcurrentAdapter()
  createQueryCompiler = (): SqliteQueryCompiler => new SqliteQueryCompiler()
  createIntrospector = (database: Kysely<unknown>): SqliteIntrospector => new SqliteIntrospector(database)
}

/** The drivers queue what must wait. With one connection, Kysely would queue reads behind a transaction. */
export class ConcurrentAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

interface Waiting extends PromiseWithResolvers<unknown[]> {
  job: ReaderJob
}

class ReaderDriver implements Driver {
  private path: string
  private worker: Worker | undefined
  /** The thread gets one query at a time: a waiting query is removed when no request waits for it. */
  private running: Waiting | undefined
  private queue = new Set<Waiting>()

  constructor(path: string) {
    this.path = path
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return {
      executeQuery: async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => ({
        rows: (await this.run(query)) as Row[],
      }),
      streamQuery: refuseStreaming,
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

  /** Outside of a request, a query has no time limit. */
  private run({ sql, parameters }: CompiledQuery): Promise<unknown[]> {
    return spendTime(Number.POSITIVE_INFINITY, async (milliseconds) => {
      this.worker ??= this.start()
      const waiting: Waiting = { job: { sql, parameters }, ...Promise.withResolvers<unknown[]>() }
      this.queue.add(waiting)
      this.runNext()
      return endWithin(milliseconds, waiting.promise).finally(() => this.queue.delete(waiting))
    })
  }

  private runNext(): void {
    if (this.running) return
    const [next] = this.queue
    if (!next) return
    this.queue.delete(next)
    this.running = next
    // The process must not end during a query.
    this.worker?.ref()
    this.worker?.postMessage(next.job)
  }

  private start(): Worker {
    const worker = this.createWorker()
    worker.on('message', (outcome: ReaderOutcome) => this.complete(worker, outcome))
    worker.on('error', (cause: Error) => this.fail(worker, cause))
    worker.on('exit', () => this.fail(worker))
    return worker
  }

  private createWorker(): Worker {
    try {
      return new Worker(new URL('./sqlite-reader-worker.ts', import.meta.url), { workerData: this.path })
    } catch (cause) {
      throw new DatabaseUnavailable("The reader can't start, because the system has no thread left", { cause })
    }
  }

  private complete(worker: Worker, outcome: ReaderOutcome): void {
    if (this.worker !== worker) return
    const completed = this.running
    this.running = undefined
    worker.unref()
    if ('rows' in outcome) completed?.resolve(outcome.rows)
    // postMessage drops the property errcode, which `isUnavailable` reads.
    else completed?.reject(Object.assign(outcome.error, { errcode: outcome.errcode }))
    this.runNext()
  }

  /** The next query starts a new thread, also between the events `error` and `exit` of the failed one. */
  private fail(failed: Worker, cause?: Error): void {
    if (this.worker !== failed) return
    this.worker = undefined
    const error = new DatabaseUnavailable('The reader has ended', { cause })
    for (const waiting of [this.running, ...this.queue]) waiting?.reject(error)
    this.running = undefined
    this.queue.clear()
  }
}
