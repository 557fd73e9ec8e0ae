import { hashToken } from '../../platform/crypto/tokens.ts'
import { writeIfPossible } from '../../platform/database/write-if-possible.ts'
import type { Caller } from '../access/caller.ts'
import { hasStaffPermission, isStaff } from '../access/staff-permissions.ts'
import type { Context } from '../context.ts'
import { isBanned } from '../users/banned.ts'
import { findImpersonator } from './impersonation-store.ts'
import { EXTENSION_MILLISECONDS, expiryOf } from './lifetimes.ts'
import { extendSession, findLiveSession } from './store.ts'

/**
 * Authenticates a session token.
 * @param isExtending whether a session that is due for an extension is extended
 * @returns null when the token is unknown, revoked or expired, the user is banned, or the impersonator may no longer
 *   impersonate
 */
export async function findCaller(context: Context, token: string, isExtending = true): Promise<Caller | null> {
  const now = context.now()
  const found = await findLiveSession(context.database, hashToken(token), now)
  if (!found) return null
  const caller = { ...found, token }
  if (found.session.impersonatedBy !== null)
    return !isBanned(found.user, now) && (await canStillImpersonate(context, caller)) ? caller : null
  if (isStillValid(caller, now)) return caller
  if (isBanned(found.user, now)) return null
  if (!isExtending) return caller
  const expiresAt = expiryOf(found.session, now)
  const extend = () => extendSession(context.database, found.session.id, now, expiresAt)
  if (!(await writeIfPossible(context, extend))) return caller
  return { ...caller, session: { ...found.session, updatedAt: now, expiresAt } }
}

/** False also for a session that is due for an extension, and for impersonation: the impersonator is not at hand here. */
export function isStillValid({ session, user }: Caller, now: number): boolean {
  if (session.impersonatedBy !== null) return false
  return session.expiresAt > now && now - session.updatedAt < EXTENSION_MILLISECONDS && !isBanned(user, now)
}

async function canStillImpersonate(
  { database, now }: Context,
  { session, user }: Pick<Caller, 'session' | 'user'>,
): Promise<boolean> {
  const impersonator = await findImpersonator(database, session.id, now())
  return (
    impersonator !== undefined &&
    hasStaffPermission(impersonator.role, 'user.impersonate') &&
    !isBanned(impersonator, now()) &&
    !isStaff(user)
  )
}
