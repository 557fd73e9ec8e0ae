import { setImmediate as nextTurn } from 'node:timers/promises'
import { type CompiledQuery, type DatabaseConnection, type QueryResult, SelectQueryNode } from 'kysely'
import { isUnread } from './compile-once.ts'

/** The time limit of a statement begins when it is sent, so only a few may wait for each other. */
const UNANSWERED_MAXIMUM = 8

/**
 * A transaction that sends statements before earlier ones are answered: BEGIN with the first look-up, and a change whose
 * answer nobody reads with the next statement. PostgreSQL runs them in order, and after a failed one it refuses all others
 * and COMMIT. The first error is the one to report.
 */
export class PostgresTransaction {
  readonly connection: DatabaseConnection
  private begun: Promise<void>
  private unanswered: Promise<unknown>[] = []
  private failure: { error: unknown } | undefined

  /** @param begun the answer to BEGIN */
  constructor(connection: DatabaseConnection, begun: Promise<void>) {
    this.connection = connection
    this.begun = begun
    this.sendAhead(begun)
  }

  async execute<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    // A look-up changes nothing if BEGIN fails. A change would be committed at once.
    if (!SelectQueryNode.is(query.query)) await this.begun
    if (!isUnread(query)) return this.answer(this.connection.executeQuery<Row>(query))
    if (this.unanswered.length === UNANSWERED_MAXIMUM) await this.answer(Promise.resolve())
    this.sendAhead(this.connection.executeQuery(query))
    return { rows: [] }
  }

  /** @param commit sends COMMIT. @throws the error of the first statement that failed */
  async commit(commit: () => Promise<void>): Promise<void> {
    if (this.unanswered.length > 0) await this.assertSent()
    await this.answer(commit())
  }

  /** PostgreSQL would commit without a statement that could not be sent. Its error is known after this turn. */
  private async assertSent(): Promise<void> {
    await nextTurn()
    if (this.failure) throw this.failure.error
  }

  private async answer<T>(last: Promise<T>): Promise<T> {
    // Nothing listens to its error while the earlier answers are awaited.
    last.catch(() => {})
    const earlier = this.unanswered
    this.unanswered = []
    for (const answer of earlier) await answer
    return last
  }

  private sendAhead(answer: Promise<unknown>): void {
    answer.catch((error: unknown) => {
      this.failure ??= { error }
    })
    this.unanswered.push(answer)
  }
}
