import type { AuthorizedStaff } from '../../../core/access/access.ts'
import type { Caller } from '../../../core/access/caller.ts'
import { isStaff } from '../../../core/access/staff-permissions.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import {
  createImpersonationTokens,
  findImpersonatorToken,
  startImpersonatedSession,
  stopImpersonatedSession,
} from '../../../core/sessions/impersonated-session.ts'
import type { SignedIn } from '../../../core/sessions/start-session.ts'
import { isBanned } from '../../../core/users/banned.ts'
import { lockManagedUser } from '../../../core/users/lock-managed-user.ts'
import { ApiError } from '../../../platform/http/errors.ts'

/** @throws ApiError YOU_CANNOT_IMPERSONATE_ADMINS; BANNED_USER; UNAUTHORIZED; the errors of `lockManagedUser` */
export async function impersonateUser(
  context: Context,
  actor: Actor,
  staff: AuthorizedStaff,
  impersonation: { userId: string; reason?: string },
): Promise<SignedIn> {
  const { userId, reason } = impersonation
  const tokens = createImpersonationTokens(context, staff)
  return inTransaction(context, actor, async (unit) => {
    const user = await lockManagedUser(unit.transaction, context, staff, userId)
    if (isStaff(user)) throw new ApiError('YOU_CANNOT_IMPERSONATE_ADMINS', { field: 'userId' })
    if (isBanned(user, context.now()))
      throw new ApiError('BANNED_USER', { field: 'userId', message: "A banned user can't be impersonated." })
    const started = await startImpersonatedSession(unit, staff, impersonation, tokens)
    await unit.record({
      action: 'impersonation.started',
      subjectId: userId,
      details: { reason: reason ?? null, sessionId: started.session.id, expiresAt: started.session.expiresAt },
    })
    return { ...started, user }
  })
}

/** @returns the impersonator's own session. @throws ApiError NOT_IMPERSONATING; UNAUTHORIZED if a session has ended */
export async function stopImpersonating(context: Context, actor: Actor, caller: Caller): Promise<Caller> {
  const { impersonatedBy } = caller.session
  if (impersonatedBy === null) throw new ApiError('NOT_IMPERSONATING')
  const ownToken = await findImpersonatorToken(context, caller)
  if (ownToken === undefined) throw new ApiError('UNAUTHORIZED')
  const staff = { ...actor, actorId: impersonatedBy, impersonatedBy: null }
  return inTransaction(context, staff, async (unit) => {
    const own = await stopImpersonatedSession(unit, caller, ownToken)
    if (!own) throw new ApiError('UNAUTHORIZED')
    return own
  })
}
