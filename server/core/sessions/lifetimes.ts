const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** How long sessions last, in milliseconds. */
const IDLE_MILLISECONDS = 7 * DAY
export const ABSOLUTE_MILLISECONDS = 30 * DAY
/** A session that is not to be remembered also ends with the browser's. */
const UNREMEMBERED_MILLISECONDS = DAY
/** A session in use is extended at most this often, so that reading it stays a read. */
export const EXTENSION_MILLISECONDS = DAY
/** Acting as somebody else; never extended. */
export const IMPERSONATION_MILLISECONDS = 60 * MINUTE

/** @returns epoch milliseconds at which a session ends that is used `now` */
export function expiryOf(session: { createdAt: number; rememberMe: number }, now: number): number {
  if (session.rememberMe === 0) return session.createdAt + UNREMEMBERED_MILLISECONDS
  return Math.min(now + IDLE_MILLISECONDS, session.createdAt + ABSOLUTE_MILLISECONDS)
}
