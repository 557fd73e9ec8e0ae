import type { Kysely, TransactionBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Tables } from '../../server/database/tables.ts'
import type { Answer } from './client.ts'
import type { Service } from './service.ts'

type Deed = (transaction: Kysely<Tables>) => Promise<unknown>

/**
 * Has something done at the worst moment of a request: when all that it checks beforehand was checked, and its transaction
 * begins. On PostgreSQL the deed is done and not yet committed when the transaction comes upon it.
 */
export async function meanwhile(
  { context: { database }, engine }: Service,
  deed: Deed,
  request: () => Promise<Answer>,
): Promise<Answer> {
  let isDone = false
  const begin = () => Object.getPrototypeOf(database).transaction.call(database) as TransactionBuilder<Tables>

  async function execute<T>(callback: Parameters<ReturnType<typeof begin>['execute']>[0]): Promise<T> {
    delete (database as Partial<Kysely<Tables>>).transaction
    const done = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const held = begin().execute(async (transaction) => {
      await deed(transaction)
      done.resolve()
      await commit.promise
    })
    await Promise.race([done.promise, held])
    const result = begin().execute(callback) as Promise<T>
    const ended = result.then(
      () => true,
      () => true,
    )
    // SQLite's transactions queue up as they begin.
    if (engine === 'postgres') while (!(await Promise.race([ended, someoneWaits(database)])));
    commit.resolve()
    await held
    isDone = true
    return result
  }

  database.transaction = () => ({ execute }) as unknown as TransactionBuilder<Tables>
  const answer = await request()
  if (!isDone) throw new Error(`There was no transaction: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer
}

async function someoneWaits(database: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(database)
  return rows.length > 0
}
