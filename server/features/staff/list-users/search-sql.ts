import { type RawBuilder, sql } from 'kysely'
import { lowerAscii } from '../../../platform/filter/condition-sql.ts'
import type { UserCondition } from './parse-query.ts'

const TRIGRAM_LENGTH = 3

/** SQLite's trigram index holds lowered text with a line feed at the end (migration 0006). */
export function searchSql({ column, operator, values }: UserCondition): RawBuilder<unknown> | undefined {
  if (column !== 'name' && column !== 'email' && column !== 'any') return undefined
  if (operator !== 'contains' && operator !== 'ends_with') return undefined
  const text = lowerAscii(String(values[0])) + (operator === 'ends_with' ? '\n' : '')
  if ([...text].length < TRIGRAM_LENGTH) return undefined
  const phrase = `${column === 'any' ? '' : `${column} : `}"${text.replaceAll('"', '""')}"`
  return sql`select rowid from "usersSearch" where "usersSearch" match ${phrase}`
}
