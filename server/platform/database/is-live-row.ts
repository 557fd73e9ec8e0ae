import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** The condition `isLive` for rows that have the end of the window in `expiresAt`. */
export function isLiveRow(windowMilliseconds: number, now: number): RawBuilder<SqlBool> {
  return sql<SqlBool>`"expiresAt" > ${now} and "expiresAt" <= ${now + 2 * windowMilliseconds}`
}
