import { type RawBuilder, sql } from 'kysely'
import type { Context } from '../../../core/context.ts'
import type { Condition, Operator } from './columns.ts'
import { conditionSql, type Engine } from './condition-sql.ts'
import { searchSql } from './search-sql.ts'
import { fittingValues } from './standing.ts'
import { dayTotalSql, standingTotalSql } from './tallies.ts'

export interface Totals {
  /** How many people fit. */
  total: number
  everybody: number
}

const POSITIVE: Partial<Record<Operator, Operator>> = { ne: 'eq', not_in: 'in' }

/** How many people fit some conditions: exactly, and counting no more of them than it must. */
export async function countUsers(context: Context, conditions: Condition[]): Promise<Totals> {
  const { engine } = context.config.database
  const { rows } = await sql<Totals>`select ${totalSql(engine, conditions)} as total,
    ${standingTotalSql([])} as everybody`.execute(context.slowReads)
  return rows[0] ?? { total: 0, everybody: 0 }
}

function totalSql(engine: Engine, conditions: Condition[]): RawBuilder<number> {
  const open = conditions.filter((condition) => !fittingValues(condition))
  const [first] = open
  if (!first) return standingTotalSql(conditions.map((condition) => conditionSql(engine, condition, true)))
  const negative = open.find(({ operator }) => operator in POSITIVE)
  if (negative) return differentSql(engine, negative, conditions)
  return (conditions.length === 1 && totalOfOne(engine, first)) || countSql(engine, conditions)
}

/** Who is different from a value: all the others. */
function differentSql(engine: Engine, negative: Condition, conditions: Condition[]): RawBuilder<number> {
  const others = conditions.filter((condition) => condition !== negative)
  const equal = { ...negative, operator: POSITIVE[negative.operator] ?? negative.operator }
  return sql`${totalSql(engine, others)} - ${totalSql(engine, [...others, equal])}`
}

function totalOfOne(engine: Engine, condition: Condition): RawBuilder<number> | undefined {
  const search = engine === 'sqlite' ? searchSql(condition) : undefined
  if (search) return sql`(select count(*) from (${search}))`
  return dayTotalSql(condition)
}

function countSql(engine: Engine, conditions: Condition[]): RawBuilder<number> {
  const tests = conditions.map((condition) => conditionSql(engine, condition, true))
  return sql`(select count(*) from users where ${sql.join(tests, sql` and `)})`
}
