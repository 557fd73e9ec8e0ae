import { requireCaller } from '../../../core/access/access.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { toUser } from '../../../core/users/wire.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { responses } from '../../../platform/http/schemas.ts'
import { toIso } from '../../../platform/http/time.ts'
import { AccountList, UpdateUserBody, UpdateUserResponse } from './schemas.ts'
import { listAccounts } from './store.ts'
import { updateOwnUser } from './update-own-user.ts'

export function registerProfileRoutes(app: HttpApp, context: Context): void {
  const { database, now } = context

  app.post(
    '/api/auth/update-user',
    {
      config: { access: 'session', rateLimit: 'change', impersonated: 'allowed' },
      schema: {
        summary: 'Change the name or image of the caller',
        body: UpdateUserBody,
        response: responses(UpdateUserResponse),
      },
    },
    async (request) => {
      const user = await updateOwnUser(context, actorOf(request), requireCaller(request).user.id, request.body)
      return { user: toUser(user, now()), status: true }
    },
  )

  app.get(
    '/api/auth/list-accounts',
    {
      config: { access: 'session', rateLimit: 'none', impersonated: 'allowed' },
      schema: { summary: "List the caller's linked accounts", response: responses(AccountList) },
    },
    async (request) => {
      const accounts = await listAccounts(database, requireCaller(request).user.id)
      return accounts.map((row) => ({
        ...row,
        scopes: [],
        createdAt: toIso(row.createdAt),
        updatedAt: toIso(row.updatedAt),
      }))
    },
  )
}
