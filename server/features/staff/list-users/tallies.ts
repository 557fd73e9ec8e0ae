import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Context } from '../../../core/context.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import type { Condition } from './columns.ts'

const DAY_MILLISECONDS = 86_400_000
/** More than this are added up. */
const ROWS_MAXIMUM = 1_000

/** How many people there are whose role, verification and ban fit: triggers keep count. */
export function standingTotalSql(tests: RawBuilder<boolean>[]): RawBuilder<number> {
  const where = tests.length > 0 ? sql`where ${sql.join(tests, sql` and `)}` : sql``
  return sql`(select coalesce(sum(people), 0) from "userStandings" as users ${where})`
}

/** How many people were made, or changed, before or after a time: whole days from their tally, people of that day counted. */
export function dayTotalSql({ column, operator, values }: Condition): RawBuilder<number> | undefined {
  if (column !== 'createdAt' && column !== 'updatedAt') return undefined
  const time = Number(values[0])
  const day = Math.trunc(time / DAY_MILLISECONDS)
  const value = sql.ref(`users.${column}`)
  const sum = (days: RawBuilder<boolean>, people: RawBuilder<boolean>) => sql<number>`(
    (select coalesce(sum(people), 0) from "userDays" where "column" = ${sql.lit(column)} and ${days})
    + (select count(*) from users where ${people}))`
  const after = (comparison: '>' | '>=') =>
    sum(sql`day > ${day}`, sql`${value} ${sql.raw(comparison)} ${time} and ${value} < ${(day + 1) * DAY_MILLISECONDS}`)
  const before = (comparison: '<' | '<=') =>
    sum(sql`day < ${day}`, sql`${value} ${sql.raw(comparison)} ${time} and ${value} >= ${day * DAY_MILLISECONDS}`)
  if (operator === 'gt') return after('>')
  if (operator === 'gte') return after('>=')
  if (operator === 'lt') return before('<')
  if (operator === 'lte') return before('<=')
  return undefined
}

/**
 * On PostgreSQL, where each change adds rows to the tallies: adds up many rows into few. It leaves to others the rows
 * that they are adding up at the same time, so it waits for nobody, and at every moment the sums are the same.
 */
export async function foldTallies({ database, config }: Context, rowsMaximum = ROWS_MAXIMUM): Promise<void> {
  if (config.database.engine === 'sqlite') return
  const { rows } = await sql<{ count: number }>`select count(*) as count from "userStandings"`.execute(database)
  if ((rows[0]?.count ?? 0) <= rowsMaximum) return
  await foldTable(database, 'userStandings', sql`role, "emailVerified", banned`)
  await foldTable(database, 'userDays', sql`"column", day`)
}

async function foldTable(database: Kysely<Tables>, name: string, key: RawBuilder<unknown>): Promise<void> {
  const table = sql.table(name)
  await sql`with taken as (
      delete from ${table} where ctid in (select ctid from ${table} for update skip locked) returning *)
    insert into ${table} select ${key}, sum(people) from taken group by ${key} having sum(people) <> 0`.execute(
    database,
  )
}
