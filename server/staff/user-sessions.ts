import type { Actor } from '../audit/actor.ts'
import type { Context } from '../context.ts'
import type { SessionRow } from '../database/tables.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import { endSession, endSessionsOfUser, findSessionToEnd } from '../sessions/end-session.ts'
import { findSessionsOfUser } from '../sessions/find-sessions.ts'
import { findUser } from '../users/find-user.ts'
import { assertMayTouch, lockTarget } from './lock-target.ts'

/** Somebody's live sessions. @throws ApiError USER_NOT_FOUND; STAFF_IS_FOR_ADMINS */
export async function listUserSessions(
  { database, now }: Context,
  caller: Caller,
  userId: string,
): Promise<SessionRow[]> {
  const target = await findUser(database, userId)
  if (!target) throw new ApiError('USER_NOT_FOUND', { field: 'userId' })
  assertMayTouch(caller.user, target)
  return findSessionsOfUser(database, userId, now())
}

/**
 * Ends one session.
 * @param handle as `listUserSessions` shows it, or the credential itself
 * @throws ApiError SESSION_NOT_FOUND; the reasons of `lockTarget`
 */
export async function revokeUserSession(context: Context, actor: Actor, caller: Caller, handle: string): Promise<void> {
  await context.database.transaction().execute(async (transaction) => {
    const session = await findSessionToEnd(transaction, handle)
    if (!session) throw sessionNotFound()
    await lockTarget(transaction, context, caller, 'session.revoke', session.userId)
    if (!(await endSession(transaction, context, actor, session))) throw sessionNotFound()
  })
}

/** In words for staff: the session is not theirs. */
function sessionNotFound(): ApiError {
  const message = 'There is no such session, or it has ended. See list-user-sessions for those that are open.'
  return new ApiError('SESSION_NOT_FOUND', { field: 'sessionToken', message })
}

/** Ends all of somebody's sessions. @throws ApiError the reasons of `lockTarget` */
export async function revokeUserSessions(
  context: Context,
  actor: Actor,
  caller: Caller,
  userId: string,
): Promise<void> {
  await context.database.transaction().execute(async (transaction) => {
    await lockTarget(transaction, context, caller, 'session.revoke', userId)
    await endSessionsOfUser(transaction, context, actor, userId)
  })
}
