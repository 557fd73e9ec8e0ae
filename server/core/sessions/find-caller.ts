import { hashToken } from '../../platform/crypto/tokens.ts'
import type { SessionRow } from '../../platform/database/tables.ts'
import { writeIfPossible } from '../../platform/database/write-if-possible.ts'
import type { Caller } from '../access/caller.ts'
import { hasStaffPermission, isStaff } from '../access/staff-permissions.ts'
import type { Context } from '../context.ts'
import { isBanned } from '../users/banned.ts'
import { findImpersonator } from './impersonation-store.ts'
import { expiryOf, isDueForExtension, isLastUseDue } from './lifetimes.ts'
import { findLiveSession, updateSessionUse } from './store.ts'

/**
 * Authenticates a session token, and writes the use of the session if that is due.
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
  const change = changeByUse(found.session, now, isExtending)
  const write = () => updateSessionUse(context.database, found.session.id, change)
  const isWritten = Object.keys(change).length > 0 && (await writeIfPossible(context, write))
  return isWritten ? { ...caller, session: { ...found.session, ...change } } : caller
}

function changeByUse(session: SessionRow, now: number, isExtending: boolean): Partial<SessionRow> {
  return {
    ...(isLastUseDue(session, now) && { lastUsedAt: now }),
    ...(isExtending && isDueForExtension(session, now) && { updatedAt: now, expiresAt: expiryOf(session, now) }),
  }
}

/** False also for a session whose use must be written, and for impersonation: the impersonator is not at hand here. */
export function isStillValid({ session, user }: Caller, now: number): boolean {
  if (session.impersonatedBy !== null) return false
  const isWriteDue = isDueForExtension(session, now) || isLastUseDue(session, now)
  return session.expiresAt > now && !isWriteDue && !isBanned(user, now)
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
