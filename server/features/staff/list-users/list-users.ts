import { type RawBuilder, sql } from 'kysely'
import type { Context } from '../../../core/context.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { chooseWay, type Way } from './choose-way.ts'
import type { Condition } from './columns.ts'
import { columnSql, conditionSql, type Engine } from './condition-sql.ts'
import type { UserListing } from './parse-query.ts'
import { searchSql } from './search-sql.ts'
import { countUsers, type Totals } from './totals.ts'

export interface UserPage {
  users: UserRow[]
  /** How many there are on all pages. */
  total: number
}

/**
 * One page of people. It is read on connections of its own (on SQLite in a thread of its own), so that no question,
 * however broad, holds up the checking of sessions.
 */
export async function listUsers(context: Context, listing: UserListing): Promise<UserPage> {
  const totals = await countUsers(context, listing.conditions)
  if (totals.total <= listing.offset) return { users: [], total: totals.total }
  return { users: await readPage(context, listing, totals), total: totals.total }
}

/** First the ids, which indexes know; then the people of this page alone. Ties are broken by the id. */
async function readPage({ slowReads, config }: Context, listing: UserListing, totals: Totals): Promise<UserRow[]> {
  const { engine } = config.database
  const { conditions, sortBy, direction, limit, offset } = listing
  const way = engine === 'sqlite' ? chooseWay(listing, totals) : 'as the planner decides'
  const order = sql.raw(direction === 'asc' ? 'asc nulls first' : 'desc nulls last')
  const tiesBy = sql`${columnSql(engine, 'id')} ${sql.raw(direction)}`
  // Two-factor sign-in is nobody's: there is nothing to sort.
  const isSortedById = sortBy === 'id' || sortBy === 'twoFactorEnabled'
  const sortedBy = (indexed: boolean) =>
    isSortedById ? [tiesBy] : [sql`${columnSql(engine, sortBy, indexed)} ${order}`, tiesBy]

  let page = slowReads.selectFrom('users').select('users.id').limit(limit).offset(offset)
  for (const test of testsSql(engine, conditions, way)) page = page.where(test)
  for (const expression of sortedBy(way !== 'fetch and sort')) page = page.orderBy(expression)

  // A cross join, which SQLite takes as written: it would go through everybody and look for them in the page.
  let people = slowReads
    .selectFrom(page.as('page'))
    .crossJoin('users')
    .selectAll('users')
    .whereRef('users.id', '=', 'page.id')
  for (const expression of sortedBy(true)) people = people.orderBy(expression)
  return people.execute()
}

function testsSql(engine: Engine, conditions: Condition[], way: Way): RawBuilder<boolean>[] {
  if (way === 'mark, then pick in order') return [sql`+users.rowid in (${rowidsSql(engine, conditions)})`]
  return conditions.map((condition) => conditionSql(engine, condition, way !== 'check in order'))
}

function rowidsSql(engine: Engine, conditions: Condition[]): RawBuilder<{ rowid: number }> {
  const [first, ...others] = conditions
  const search = first && others.length === 0 ? searchSql(first) : undefined
  const tests = conditions.map((condition) => conditionSql(engine, condition, true))
  return search ?? sql`select users.rowid from users where ${sql.join(tests, sql` and `)}`
}
