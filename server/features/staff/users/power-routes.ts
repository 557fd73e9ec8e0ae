import { callerOf, staffOf } from '../../../core/access/access.ts'
import { answerPermissions, PermissionsAnswer } from '../../../core/access/has-permission.ts'
import { toRole } from '../../../core/access/one-role.ts'
import { listStaffPermissions } from '../../../core/access/staff-permissions.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { toUser } from '../../../core/users/wire.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { answers } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/typed-app.ts'
import { banUser, unbanUser } from '../bans/ban-user.ts'
import { getRequestedRole } from './get-requested-role.ts'
import { BanUserBody, PermissionsBody, REFUSALS, SetRoleBody, UserAnswer, UserIdBody } from './schemas.ts'
import { setRole } from './set-role.ts'

/** Who may do what: roles, bans, and asking. */
export function registerPowerRoutes(app: App, context: Context): void {
  const answerUser = (user: UserRow) => ({ user: toUser(user, context.now()) })

  app.post(
    '/api/auth/admin/set-role',
    {
      config: { access: { staff: 'user.set-role', fresh: true }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: "Set somebody's role: user, support or admin",
        body: SetRoleBody,
        response: answers(
          UserAnswer,
          ...REFUSALS,
          'YOU_ARE_NOT_ALLOWED_TO_SET_NON_EXISTENT_VALUE',
          'YOU_ARE_NOT_ALLOWED_TO_CHANGE_USERS_ROLE',
        ),
      },
    },
    async (request) => {
      const { userId, role } = request.body
      return answerUser(await setRole(context, actorOf(request), staffOf(request), { userId, role: toRole(role) }))
    },
  )

  app.post(
    '/api/auth/admin/ban-user',
    {
      config: { access: { staff: 'user.ban' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Ban somebody, for a while or until it is lifted; their sessions end',
        body: BanUserBody,
        response: answers(UserAnswer, ...REFUSALS, 'YOU_CANNOT_BAN_YOURSELF'),
      },
    },
    async (request) => answerUser(await banUser(context, actorOf(request), staffOf(request), request.body)),
  )

  app.post(
    '/api/auth/admin/unban-user',
    {
      config: { access: { staff: 'user.ban' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: "Lift somebody's ban",
        body: UserIdBody,
        response: answers(UserAnswer, ...REFUSALS, 'YOU_CANNOT_BAN_YOURSELF'),
      },
    },
    async (request) => answerUser(await unbanUser(context, actorOf(request), staffOf(request), request.body.userId)),
  )

  app.post(
    '/api/auth/admin/has-permission',
    {
      config: { access: 'session', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: "Whether a role grants all of these permissions: the caller's own, the one named, or another user's",
        body: PermissionsBody,
        response: answers(
          PermissionsAnswer,
          'EMAIL_NOT_VERIFIED',
          'FORBIDDEN',
          'USER_NOT_FOUND',
          'YOU_ARE_NOT_ALLOWED_TO_SET_NON_EXISTENT_VALUE',
        ),
      },
    },
    async (request) => {
      const { permissions, ...question } = request.body
      const role = await getRequestedRole(context.database, callerOf(request), question)
      return answerPermissions(permissions, listStaffPermissions(role))
    },
  )
}
