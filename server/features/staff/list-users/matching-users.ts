import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Context } from '../../../core/context.ts'
import { isPostgres } from '../../../platform/database/is-postgres.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { anyOfSql, conditionSql, type SqlColumn } from '../../../platform/filter/condition-sql.ts'
import { USER_FILTER_COLUMNS } from './columns.ts'
import type { UserCondition } from './parse-query.ts'
import { searchSql } from './search-sql.ts'

/** One pass over a table of a million users takes less time than reading this number of users one by one. */
const INDEXED_MAXIMUM = 50_000

export async function matchingUsers(context: Context, conditions: UserCondition[]): Promise<RawBuilder<unknown>> {
  const tests = await Promise.all(conditions.map((condition) => testSql(context, condition)))
  return tests.length === 0 ? sql`users` : sql`users where ${sql.join(tests, sql` and `)}`
}

/** SQLite has no statistics of values: `+` hides a column from an index that would find a million users. */
async function testSql(context: Context, condition: UserCondition): Promise<RawBuilder<SqlBool>> {
  const { slowReads } = context
  const indexed = columnsSql(slowReads, condition)
  if (isPostgres(slowReads) || isAboutUsersWithoutPasskey(condition)) return indexed
  const search = searchSql(condition)
  if (await isRare(context, search ?? sql`select rowid from users where ${indexed}`))
    return search ? sql`users.rowid in (${search})` : indexed
  return columnsSql(slowReads, condition, hideFromIndexes)
}

/** No index finds these users, so a count of them would read the whole table once more. */
function isAboutUsersWithoutPasskey({ column, values }: UserCondition): boolean {
  return column === 'hasPasskey' && values[0] === 0
}

export function columnsSql(database: Kysely<Tables>, condition: UserCondition, change = (column: SqlColumn) => column) {
  if (condition.column === 'hasPasskey') return hasPasskeySql(change(USER_FILTER_COLUMNS.id), condition)
  if (condition.column !== 'any')
    return conditionSql(database, change(USER_FILTER_COLUMNS[condition.column]), condition)
  const { name, email } = USER_FILTER_COLUMNS
  return anyOfSql(database, [change(name), change(email)], condition)
}

/** `in` reads the owners along the index of passkeys. PostgreSQL joins for `not exists`, but not for `not in`. */
function hasPasskeySql({ reference }: SqlColumn, condition: UserCondition) {
  if (isAboutUsersWithoutPasskey(condition))
    return sql<SqlBool>`not exists (select 1 from passkeys where passkeys."userId" = ${reference})`
  return sql<SqlBool>`${reference} in (select passkeys."userId" from passkeys)`
}

function hideFromIndexes(column: SqlColumn): SqlColumn {
  return { ...column, reference: sql`+${column.reference}` }
}

async function isRare({ slowReads }: Context, rowids: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql<{ matches: number }>`select count(*) as matches
    from (${rowids} limit ${INDEXED_MAXIMUM + 1})`.execute(slowReads)
  return (rows[0]?.matches ?? 0) <= INDEXED_MAXIMUM
}
