import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Condition } from './columns.ts'
import type { Engine } from './condition-sql.ts'

const DAY_MILLISECONDS = 86_400_000
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
export async function foldTallies(database: Kysely<Tables>, rowCount: number, engine: Engine): Promise<void> {
  if (engine === 'sqlite' || rowCount <= ROWS_MAXIMUM) return
  for (const [table, key] of [
    ['userStandings', sql`role, "emailVerified", banned`],
    ['userDays', sql`"column", day`],
  ] as const) {
    await sql`with taken as (
        delete from ${sql.table(table)}
        where ctid in (select ctid from ${sql.table(table)} for update skip locked) returning *)
      insert into ${sql.table(table)} select ${key}, sum(people) from taken group by ${key} having sum(people) <> 0`.execute(
      database,
    )
  }
}
