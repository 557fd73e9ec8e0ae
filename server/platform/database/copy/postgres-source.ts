import { setTimeout as wait } from 'node:timers/promises'
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { isPostgres } from '../is-postgres.ts'
import { SERVICE_NAME } from '../postgres-pool.ts'
import type { Tables } from '../tables.ts'
import { CopyError } from './copy-error.ts'
import { COPY_STEPS } from './copy-steps.ts'

/** The server needs a moment to notice that a process has ended. */
const LEAVING_MILLISECONDS = 5_000
const PAUSE_MILLISECONDS = 100

export function withPostgresSnapshot<T>(
  database: Kysely<Tables>,
  read: (snapshot: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  return database.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read)
}

/** @throws CopyError when another process uses the database */
export async function withLockedPostgres<T>(
  database: Kysely<Tables>,
  read: (locked: Kysely<Tables>, assertStillLocked: () => Promise<void>) => Promise<T>,
): Promise<T> {
  await assertUnused(database)
  return database
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const tables = sql.join([...new Set(COPY_STEPS.map(({ table }) => table))].map((table) => sql.table(table)))
      // The first statement, because the lock must begin before the view.
      await sql`lock table ${tables} in share mode`.execute(transaction)
      return read(transaction, async () => {
        // The lock ends with its connection, for example at a promotion after the last row was read.
        await sql`select 1`.execute(transaction)
        await assertUnused(database)
      })
    })
}

/** @throws CopyError when another process has connections to the source */
export function assertUnused(source: Kysely<Tables>): Promise<void> {
  const isOther = sql<SqlBool>`(application_name = ${SERVICE_NAME} or application_name like ${`${SERVICE_NAME} command %`})
    and application_name <> current_setting('application_name')`
  return assertNoConnection(source, isOther, 'the database of DATABASE_URL')
}

/** A service that was already running would serve an incomplete copy, and lose its changes. @throws CopyError */
export async function assertNoService(target: Kysely<Tables>): Promise<void> {
  if (!isPostgres(target)) return
  await assertNoConnection(target, sql<SqlBool>`application_name = ${SERVICE_NAME}`, 'the target')
}

async function assertNoConnection(
  database: Kysely<Tables>,
  condition: RawBuilder<SqlBool>,
  place: string,
): Promise<void> {
  const deadline = performance.now() + LEAVING_MILLISECONDS
  for (;;) {
    const count = await countConnections(database, condition)
    if (count === 0) return
    if (performance.now() > deadline)
      throw new CopyError(
        `Processes of Accounts use ${place}: ${count} connections. Stop every process, and run the command again.`,
      )
    await wait(PAUSE_MILLISECONDS)
  }
}

async function countConnections(database: Kysely<Tables>, condition: RawBuilder<SqlBool>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and ${condition}`.execute(database)
  return rows[0]?.count ?? 0
}
