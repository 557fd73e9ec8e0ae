import { actorOf } from '../audit/actor.ts'
import type { Context } from '../context.ts'
import type { UserRow } from '../database/tables.ts'
import { callerOf } from '../http/access.ts'
import { answers } from '../http/schemas.ts'
import type { App } from '../http/typed-app.ts'
import { toUser } from '../users/wire.ts'
import { banUser, unbanUser } from './ban-user.ts'
import { grantsAll } from './roles.ts'
import {
  BanUserBody,
  PermissionsAnswer,
  PermissionsBody,
  REFUSALS,
  SetRoleBody,
  UserAnswer,
  UserIdBody,
} from './schemas.ts'
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
    async (request) => answerUser(await setRole(context, actorOf(request), callerOf(request), request.body)),
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
    async (request) => answerUser(await banUser(context, actorOf(request), callerOf(request), request.body)),
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
    async (request) => answerUser(await unbanUser(context, actorOf(request), callerOf(request), request.body.userId)),
  )

  app.post(
    '/api/auth/admin/has-permission',
    {
      config: { access: 'session', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: "Whether the caller's role grants all of these permissions",
        body: PermissionsBody,
        response: answers(PermissionsAnswer),
      },
    },
    async (request) => ({ error: null, success: grantsAll(callerOf(request).user.role, request.body.permissions) }),
  )
}
