import type { AuthorizedStaff } from '../../../core/access/access.ts'
import type { Caller } from '../../../core/access/caller.ts'
import { hasStaffPermission } from '../../../core/access/staff-permissions.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { revokeSession, revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import { findSessionToRevoke, listLiveSessions } from '../../../core/sessions/store.ts'
import { getUser } from '../../../core/users/find-user.ts'
import { assertMayManageUser, lockManagedUser } from '../../../core/users/lock-managed-user.ts'
import { readPastStaffSince } from '../../../core/users/past-staff.ts'
import type { SessionRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

/**
 * Support may not read the audit log, so this hides networks of impersonators, and of sessions in which the user was
 * staff. A change of the password gives an earlier session the network of that time.
 * @throws ApiError USER_NOT_FOUND; STAFF_IS_FOR_ADMINS
 */
export async function listUserSessions(
  { database, slowReads, now }: Context,
  caller: Caller,
  userId: string,
): Promise<SessionRow[]> {
  const target = await getUser(database, userId)
  assertMayManageUser(caller.user, target)
  const sessions = await listLiveSessions(database, userId, now(), { impersonated: true })
  if (hasStaffPermission(caller.user.role, 'audit.list')) return sessions
  const toActorEvent = ({ createdAt }: SessionRow) => ({ actorId: userId, createdAt })
  const wasStaff = await readPastStaffSince(slowReads, sessions.map(toActorEvent))
  const isShown = (session: SessionRow) => session.impersonatedBy === null && !wasStaff(toActorEvent(session))
  return sessions.map((session) => (isShown(session) ? session : { ...session, ipAddress: null, userAgent: null }))
}

/** The handle may be the credential itself. @throws ApiError SESSION_NOT_FOUND; the errors of `lockManagedUser` */
export async function revokeUserSession(
  context: Context,
  actor: Actor,
  staff: AuthorizedStaff,
  handle: string,
): Promise<void> {
  await inTransaction(context, actor, async (unit) => {
    const session = await findSessionToRevoke(unit.transaction, handle)
    if (!session) throw sessionNotFound()
    await lockManagedUser(unit.transaction, context, staff, session.userId)
    if (!(await revokeSession(unit, session))) throw sessionNotFound()
  })
}

function sessionNotFound(): ApiError {
  const message = 'There is no such session, or it has ended. See list-user-sessions for those that are open.'
  return new ApiError('SESSION_NOT_FOUND', { field: 'sessionToken', message })
}

/** @throws ApiError the errors of `lockManagedUser` */
export async function revokeUserSessions(
  context: Context,
  actor: Actor,
  staff: AuthorizedStaff,
  userId: string,
): Promise<void> {
  await inTransaction(context, actor, async (unit) => {
    await lockManagedUser(unit.transaction, context, staff, userId)
    await revokeSessionsOfUser(unit, userId)
  })
}
