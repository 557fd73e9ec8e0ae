import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../platform/time/time-units.ts'

const IDLE_MILLISECONDS = 7 * DAY_MILLISECONDS
export const SESSION_MILLISECONDS_MAXIMUM = 30 * DAY_MILLISECONDS
/** For rememberMe: false. The cookie is deleted with the browser's session as well. */
const UNREMEMBERED_MILLISECONDS = DAY_MILLISECONDS
/** A session is extended at most this often, so that most session checks only read. */
const EXTENSION_MILLISECONDS = DAY_MILLISECONDS
/** The time of the last use is written at most this often, so that most session checks only read. */
const LAST_USE_MILLISECONDS = HOUR_MILLISECONDS
/** The longest impersonation, which no request extends. */
export const IMPERSONATION_MILLISECONDS = HOUR_MILLISECONDS

export function expiryOf(session: { createdAt: number; rememberMe: number }, now: number): number {
  if (session.rememberMe === 0) return session.createdAt + UNREMEMBERED_MILLISECONDS
  return Math.min(now + IDLE_MILLISECONDS, session.createdAt + SESSION_MILLISECONDS_MAXIMUM)
}

export function isDueForExtension({ updatedAt }: { updatedAt: number }, now: number): boolean {
  return now - updatedAt >= EXTENSION_MILLISECONDS
}

export function isLastUseDue({ lastUsedAt }: { lastUsedAt: number | null }, now: number): boolean {
  return now - (lastUsedAt ?? 0) >= LAST_USE_MILLISECONDS
}
