import { requireStaff } from '../../../core/access/access.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { MANAGED_USER_ERRORS } from '../../../core/users/lock-managed-user.ts'
import { UserResponse } from '../../../core/users/schemas.ts'
import { toUser } from '../../../core/users/wire.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { responses } from '../../../platform/http/schemas.ts'
import { banUser, unbanUser } from './ban-user.ts'
import { BanUserBody, UnbanUserBody } from './schemas.ts'

export function registerBanRoutes(app: HttpApp, context: Context): void {
  app.post(
    '/api/auth/admin/ban-user',
    {
      config: { access: { staff: 'user.ban' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Ban a user, until the ban expires or is lifted, and revoke all sessions of the user',
        body: BanUserBody,
        response: responses(UserResponse, ...MANAGED_USER_ERRORS, 'USER_ALREADY_BANNED', 'YOU_CANNOT_BAN_YOURSELF'),
      },
    },
    async (request) => {
      const user = await banUser(context, actorOf(request), requireStaff(request), request.body)
      return { user: toUser(user, context.now()) }
    },
  )

  app.post(
    '/api/auth/admin/unban-user',
    {
      config: { access: { staff: 'user.ban' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Lift the ban of a user',
        body: UnbanUserBody,
        response: responses(UserResponse, ...MANAGED_USER_ERRORS, 'YOU_CANNOT_BAN_YOURSELF', 'SESSION_NOT_FRESH'),
      },
    },
    async (request) => {
      const user = await unbanUser(context, actorOf(request), requireStaff(request), request.body.userId)
      return { user: toUser(user, context.now()) }
    },
  )
}
