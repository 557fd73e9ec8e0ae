import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { latestEnd } from '../time/is-live.ts'

/** The condition `isLive` for rows that have the end of the window in `expiresAt`. */
export function isLiveRow(windowMilliseconds: number, now: number): RawBuilder<SqlBool> {
  return sql<SqlBool>`"expiresAt" > ${now} and "expiresAt" <= ${latestEnd(windowMilliseconds, now)}`
}
