import { ApiError } from '../../platform/http/errors.ts'
import type { Caller } from '../access/caller.ts'
import type { Context } from '../context.ts'

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
/** For so long after proving who they are, people may do what can't be undone. */
const FRESH_MILLISECONDS = 15 * MINUTE

/** @returns epoch milliseconds at which a session ends that is used `now` */
export function expiryOf(session: { createdAt: number; rememberMe: number }, now: number): number {
  if (session.rememberMe === 0) return session.createdAt + UNREMEMBERED_MILLISECONDS
  return Math.min(now + IDLE_MILLISECONDS, session.createdAt + ABSOLUTE_MILLISECONDS)
}

export function isFresh(session: { authenticatedAt: number }, now: number): boolean {
  // A time in the future was written by a clock that was ahead, and proves nothing.
  return Math.abs(now - session.authenticatedAt) < FRESH_MILLISECONDS
}

/** For a request whose fields, not its route, decide that the session must be fresh. @throws ApiError SESSION_NOT_FRESH */
export function assertFreshSession({ now }: Pick<Context, 'now'>, { session }: Caller): void {
  if (!isFresh(session, now())) throw new ApiError('SESSION_NOT_FRESH')
}
