import { hashToken } from '../../platform/crypto/tokens.ts'
import type { SessionRow } from '../../platform/database/tables.ts'
import { writeIfPossible } from '../../platform/database/write-if-possible.ts'
import { isLive } from '../../platform/time/is-live.ts'
import type { AuthenticatedSession, Caller } from '../access/caller.ts'
import { hasStaffPermission, isStaff } from '../access/staff-permissions.ts'
import type { Context } from '../context.ts'
import { isBanned } from '../users/banned.ts'
import { findImpersonator } from './impersonation-store.ts'
import { expiryOf, IMPERSONATION_MILLISECONDS, isDueForExtension, isLastUseDue } from './lifetimes.ts'
import { findLiveSession, findLiveSessionById, type LiveSession, type LiveSessions } from './live-session-store.ts'
import { updateSessionUse } from './store.ts'

/**
 * @returns undefined when the token is unknown, revoked or expired, the user is banned, or the impersonator may no
 *   longer impersonate
 */
export async function findCaller(
  context: Context,
  liveSessions: LiveSessions,
  token: string,
  isExtending = true,
): Promise<Caller | undefined> {
  const found = await authenticate(context, await liveSessions.find(hashToken(token)))
  return found && { ...found, session: await saveUse(context, found, isExtending), token }
}

/** @returns undefined in the same cases as `findCaller` */
export async function findAuthenticatedSession(
  context: Context,
  tokenHash: string,
): Promise<AuthenticatedSession | undefined> {
  return authenticate(context, await findLiveSession(context.database, tokenHash, context.now()))
}

/** For rows that refer to a session by its id: a step-up replaces the token between two queries, and not the id. */
export async function findAuthenticatedSessionById(
  context: Context,
  id: string,
): Promise<AuthenticatedSession | undefined> {
  return authenticate(context, await findLiveSessionById(context.database, id, context.now()))
}

async function authenticate(
  context: Context,
  found: LiveSession | undefined,
): Promise<AuthenticatedSession | undefined> {
  if (!found || isBanned(found.user, context.now())) return undefined
  const isImpersonated = found.session.impersonatedBy !== null
  return isImpersonated && !(await mayStillImpersonate(context, found)) ? undefined : found
}

export async function saveUse(
  context: Context,
  { session }: AuthenticatedSession,
  isExtending = true,
): Promise<SessionRow> {
  if (session.impersonatedBy !== null) return session
  const change = changeByUse(session, context.now(), isExtending)
  if (Object.keys(change).length === 0) return session
  let isSaved = false
  await writeIfPossible(context, async () => {
    isSaved = await updateSessionUse(context.database, session, change)
  })
  return isSaved ? { ...session, ...change } : session
}

function changeByUse(session: SessionRow, now: number, isExtending: boolean): Partial<SessionRow> {
  return {
    ...(isLastUseDue(session, now) && { lastUsedAt: now }),
    ...(isExtending && isDueForExtension(session, now) && { updatedAt: now, expiresAt: expiryOf(session, now) }),
  }
}

/** False when a use must be written, and for impersonation, because only a look-up checks the impersonator. */
export function isStillValid({ session, user }: Caller, now: number): boolean {
  if (session.impersonatedBy !== null) return false
  const isWriteDue = isDueForExtension(session, now) || isLastUseDue(session, now)
  return session.expiresAt > now && !isWriteDue && !isBanned(user, now)
}

async function mayStillImpersonate({ database, now }: Context, { session, user }: LiveSession): Promise<boolean> {
  // A clock that was ahead must not prolong an impersonation.
  if (!isLive(session.expiresAt, IMPERSONATION_MILLISECONDS, now())) return false
  const impersonator = await findImpersonator(database, session.id, now())
  return (
    impersonator !== undefined &&
    hasStaffPermission(impersonator.role, 'user.impersonate') &&
    impersonator.emailVerified === 1 &&
    !isBanned(impersonator, now()) &&
    !isStaff(user)
  )
}
