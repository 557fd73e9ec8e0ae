import { type Kysely, sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables, UserRow } from '../../database/tables.ts'
import { liftExpiredBans } from '../store.ts'
import { columnSql, conditionSql, type Engine } from './condition-sql.ts'
import type { UserListing } from './parse-query.ts'
import type { Totals } from './totals.ts'

export interface UserPage {
  users: UserRow[]
  /** How many there are on all pages. */
  total: number
}

/**
 * One page of people. It is read on connections of its own (on SQLite in a thread of its own), so that no question,
 * however broad, holds up the checking of sessions.
 * @param now epoch milliseconds, for bans
 */
export async function listUsers(
  context: Context,
  totals: Totals,
  listing: UserListing,
  now: number,
): Promise<UserPage> {
  const { engine } = context.config.database
  await liftExpiredBans(context.database, now)
  const total = await totals(listing.conditions)
  if (total <= listing.offset) return { users: [], total }
  return { users: await readPage(context, engine, listing, total), total }
}

/** First the ids, which indexes know; then the people of this page alone. Ties are broken by the id. */
async function readPage(
  { slowReads }: Context,
  engine: Engine,
  listing: UserListing,
  total: number,
): Promise<UserRow[]> {
  const { conditions, sortBy, direction, limit, offset } = listing
  const way = engine === 'sqlite' ? await chooseWay(slowReads, listing, total) : 'the planner decides'
  const order = sql.raw(direction === 'asc' ? 'asc nulls first' : 'desc nulls last')
  const tiesBy = sql`${columnSql(engine, 'id')} ${sql.raw(direction)}`
  // Two-factor sign-in is nobody's: there is nothing to sort.
  const sortedBy = (indexed: boolean) =>
    sortBy === 'twoFactorEnabled' ? [tiesBy] : [sql`${columnSql(engine, sortBy, indexed)} ${order}`, tiesBy]

  let page = slowReads.selectFrom('users').select('users.id').limit(limit).offset(offset)
  for (const condition of conditions) page = page.where(conditionSql(engine, condition, way !== 'by order'))
  for (const expression of sortedBy(way !== 'by condition')) page = page.orderBy(expression)

  // A cross join, which SQLite takes as written: it would go through everybody and look for them in the page.
  let people = slowReads
    .selectFrom(page.as('page'))
    .crossJoin('users')
    .selectAll('users')
    .whereRef('users.id', '=', 'page.id')
  for (const expression of sortedBy(true)) people = people.orderBy(expression)
  return people.execute()
}

type Way = 'by condition' | 'by order' | 'the planner decides'

/**
 * SQLite's planner can't know how many people a condition finds; we have just counted them. Few are found and then
 * sorted; many are met soon enough when everybody is gone through in the order of the page.
 */
async function chooseWay(
  slowReads: Kysely<Tables>,
  { conditions, sortBy, limit, offset }: UserListing,
  total: number,
): Promise<Way> {
  if (conditions.every(({ column }) => column === sortBy)) return 'the planner decides'
  const { everybody } = await slowReads
    .selectFrom('users')
    .select(sql<number>`max(rowid)`.as('everybody'))
    .executeTakeFirstOrThrow()
  const metByOrder = ((offset + limit) * everybody) / total
  return total <= metByOrder ? 'by condition' : 'by order'
}
