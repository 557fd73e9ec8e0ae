import { type RawBuilder, sql } from 'kysely'
import { type Condition, lowerAscii } from './columns.ts'

const TRIGRAM_LETTERS = 3

/**
 * On SQLite: the row numbers of everybody whose name or address contains or ends with a text, as its index of trigrams
 * alone finds them; undefined where it can't. It holds the texts lowered, each with a line feed at its end.
 */
export function searchSql({ column, operator, values }: Condition): RawBuilder<{ rowid: number }> | undefined {
  if (column !== 'name' && column !== 'email') return undefined
  if (operator !== 'contains' && operator !== 'ends_with') return undefined
  const text = lowerAscii(String(values[0])) + (operator === 'ends_with' ? '\n' : '')
  if ([...text].length < TRIGRAM_LETTERS) return undefined
  const phrase = `${column} : "${text.replaceAll('"', '""')}"`
  return sql`select rowid from "usersSearch" where "usersSearch" match ${phrase}`
}
