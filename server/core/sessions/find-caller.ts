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
 * Credential → caller; null when it opens nothing: unknown, ended, expired, of a banned user, or of staff who may no
 * longer act as somebody else.
 * @param isExtending whether a session that is due to be extended is extended
 */
export async function findCaller(context: Context, token: string, isExtending = true): Promise<Caller | null> {
  const now = context.now()
  const found = await findLiveSession(context.database, hashToken(token), now)
  if (!found) return null
  const caller = { ...found, token }
  // Somebody acting as another: one more look-up, and never an extension.
  if (found.session.impersonatedBy !== null)
    return !isBanned(found.user, now) && (await mayStillImpersonate(context, caller)) ? caller : null
  if (isStillGood(caller, now)) return caller
  if (isBanned(found.user, now)) return null
  if (!isExtending) return caller
  const expiresAt = expiryOf(found.session, now)
  const extend = () => extendSession(context.database, found.session.id, now, expiresAt)
  if (!(await writeIfPossible(context, extend))) return caller
  return { ...caller, session: { ...found.session, updatedAt: now, expiresAt } }
}

/**
 * Whether a caller is as good as when they were looked up: the session has not ended nor is it to be extended, and it
 * does not depend on what staff, who are not looked at here, may still do.
 */
export function isStillGood({ session, user }: Caller, now: number): boolean {
  if (session.impersonatedBy !== null) return false
  return session.expiresAt > now && now - session.updatedAt < EXTENSION_MILLISECONDS && !isBanned(user, now)
}

/** Their own session must still be live, their role still grant it, and who they act as not have become staff. */
async function mayStillImpersonate(
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
