import { requireCaller } from '../../../core/access/access.ts'
import type { Context } from '../../../core/context.ts'
import { getUser } from '../../../core/users/find-user.ts'
import { assertMayManageUser, MANAGED_USER_ERRORS } from '../../../core/users/lock-managed-user.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { responses } from '../../../platform/http/schemas.ts'
import { listApps } from '../../account/apps/list-apps.ts'
import { ListUserAppsQuery, ListUserAppsResponse } from './schemas.ts'

export function registerStaffAppRoute(app: HttpApp, context: Context): void {
  app.get(
    '/api/auth/admin/list-user-apps',
    {
      config: { access: { staff: 'user.get' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'List the apps with access to the account of a user, and what each sees',
        querystring: ListUserAppsQuery,
        response: responses(ListUserAppsResponse, ...MANAGED_USER_ERRORS),
      },
    },
    async (request) => {
      const { userId } = request.query
      const user = await getUser(context.database, userId)
      assertMayManageUser(requireCaller(request).user, user)
      return { apps: await listApps(context, userId) }
    },
  )
}
