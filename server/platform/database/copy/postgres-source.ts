import { setTimeout as wait } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { CopyError } from './copy-error.ts'
import { COPY_STEPS } from './copy-steps.ts'

/** The server needs a moment to notice that a process is gone. */
const LEAVING_MILLISECONDS = 5_000
const PAUSE_MILLISECONDS = 100

/** Runs reads in one consistent view, which holds up no writer. */
export function withPostgresSnapshot<T>(
  database: Kysely<Tables>,
  read: (snapshot: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  return database.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read)
}

/** Runs reads while no other process can change a row. @throws CopyError when one uses the database */
export async function withLockedPostgres<T>(
  database: Kysely<Tables>,
  read: (locked: Kysely<Tables>, assertUnused: () => Promise<void>) => Promise<T>,
): Promise<T> {
  await assertUnused(database)
  return database
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const tables = sql.join([...new Set(COPY_STEPS.map(({ table }) => table))].map((table) => sql.table(table)))
      // The first statement, because the lock must come before the view.
      await sql`lock table ${tables} in share mode`.execute(transaction)
      const [own] = (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction)).rows
      return read(transaction, () => assertUnused(database, [own?.pid ?? 0]))
    })
}

/** @param own connections of this process besides the one that asks @throws CopyError when another process has one */
export async function assertUnused(database: Kysely<Tables>, own: number[] = []): Promise<void> {
  const deadline = performance.now() + LEAVING_MILLISECONDS
  for (;;) {
    const count = await countOthers(database, own)
    if (count === 0) return
    if (performance.now() > deadline)
      throw new CopyError(
        `Processes of Accounts use the database of DATABASE_URL: ${count} connections. Stop every process, and run the command again.`,
      )
    await wait(PAUSE_MILLISECONDS)
  }
}

async function countOthers(database: Kysely<Tables>, own: number[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name = 'accounts'
    and pid <> pg_backend_pid() and pid <> all(${own}::int[])`.execute(database)
  return rows[0]?.count ?? 0
}
