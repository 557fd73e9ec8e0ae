import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Condition } from './columns.ts'
import { conditionSql } from './condition-sql.ts'

const KEPT_MAXIMUM = 1_000

/** How many people fit some conditions: exactly. */
export type Totals = (conditions: Condition[]) => Promise<number>

/**
 * Counting most of a million people takes longer than reading a page of them, so on SQLite a count is kept until
 * anything about anybody changes: a trigger numbers the changes, which its one writer can do for nothing. PostgreSQL's
 * writers would wait for each other there; it counts each time.
 */
export function createTotals(context: Context): Totals {
  const count: Totals = (conditions) => countUsers(context, conditions)
  if (context.config.database.engine === 'postgres') return count
  const kept = new Map<string, number>()
  let keptFor: number | undefined

  return async (conditions) => {
    const changes = await countChanges(context)
    // What is counted from here on is as new as this number or newer, and so never kept for too long.
    if (changes !== keptFor || kept.size >= KEPT_MAXIMUM) kept.clear()
    keptFor = changes
    const key = JSON.stringify(conditions)
    const total = kept.get(key) ?? (await count(conditions))
    if (changes === keptFor) kept.set(key, total)
    return total
  }
}

async function countUsers({ slowReads, config }: Context, conditions: Condition[]): Promise<number> {
  let query = slowReads.selectFrom('users').select((select) => select.fn.countAll<number>().as('count'))
  for (const condition of conditions) query = query.where(conditionSql(config.database.engine, condition, true))
  const { count } = await query.executeTakeFirstOrThrow()
  return count
}

async function countChanges({ slowReads }: Context): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count from "userChanges"`.execute(slowReads)
  return rows[0]?.count ?? 0
}
