import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { isLiveRow } from '../../platform/database/is-live-row.ts'
import type { InvitationRow } from '../../platform/database/tables.ts'
import { isLive } from '../../platform/time/is-live.ts'
import { DAY_MILLISECONDS } from '../../platform/time/time-units.ts'

export const INVITATION_LIFETIME_MILLISECONDS = 7 * DAY_MILLISECONDS

/** An invitation of a clock that was ahead counts as expired until 14 days before its end, or it would stay open. */
export function hasExpired({ expiresAt }: Pick<InvitationRow, 'expiresAt'>, now: number): boolean {
  return !isLive(expiresAt, INVITATION_LIFETIME_MILLISECONDS, now)
}

export function hasExpiredRow(now: number): RawBuilder<SqlBool> {
  return sql<SqlBool>`not (${hasNotExpiredRow(now)})`
}

export function hasNotExpiredRow(now: number): RawBuilder<SqlBool> {
  return isLiveRow(INVITATION_LIFETIME_MILLISECONDS, now)
}
