import { type CompiledQuery, type DatabaseConnection, type QueryResult, SelectQueryNode } from 'kysely'
import { isResultUnused } from './compile-once.ts'

/** The time limit of a statement begins when it is sent: the last of many unanswered ones would be late. */
const UNANSWERED_MAXIMUM = 8

/**
 * Sends statements before earlier ones are answered (docs/decisions/36-statements-ahead.md). COMMIT waits for all
 * answers: otherwise, the server could run it after the client has given up.
 */
export class PostgresTransaction {
  readonly connection: DatabaseConnection
  private begun: Promise<void>
  private unanswered: Promise<unknown>[] = []

  constructor(connection: DatabaseConnection, begun: Promise<void>) {
    this.connection = connection
    this.begun = begun
    this.sendAhead(begun)
  }

  async execute<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    // If BEGIN fails, a look-up does no harm. A change would be committed by itself, so it waits for BEGIN.
    if (!SelectQueryNode.is(query.query)) await this.begun
    if (isResultUnused(query)) {
      if (this.unanswered.length === UNANSWERED_MAXIMUM) await this.answered()
      this.sendAhead(this.connection.executeQuery(query))
      return { rows: [] }
    }
    const last = this.connection.executeQuery<Row>(query)
    // While the earlier answers are awaited, an error without a listener would end the process.
    last.catch(() => {})
    await this.answered()
    return last
  }

  /** @throws the error of the first statement that failed, again on each call */
  async answered(): Promise<void> {
    for (const answer of this.unanswered) await answer
    this.unanswered = []
  }

  private sendAhead(answer: Promise<unknown>): void {
    answer.catch(() => {})
    this.unanswered.push(answer)
  }
}
