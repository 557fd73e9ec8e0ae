import { type SqlBool, sql } from 'kysely'

/** The beginning of `lastError` of an email that the service gave up, because its link does not work any more. */
export const NOT_SENT = 'Not sent: '

const DISCARDED = sql.lit(`${NOT_SENT}%`)
/** An email that was discarded during its last attempt may have been sent. */
const IS_GIVEN_UP = sql`"failedAt" is not null and "sentAt" is null`
/** A failed email always has a `lastError`, so `not like` never compares with null. */
export const IS_DISCARDED = sql<SqlBool>`${IS_GIVEN_UP} and "lastError" like ${DISCARDED}`
export const IS_FAILED = sql<SqlBool>`${IS_GIVEN_UP} and "lastError" not like ${DISCARDED}`

export function isDiscarded(lastError: string | null): boolean {
  return lastError?.startsWith(NOT_SENT) ?? false
}

/** The lease stays, so that a running attempt stores its result. */
export function discardedFor(reason: string, now: number) {
  return { failedAt: now, lastError: NOT_SENT + reason, encryptedEmail: null }
}
