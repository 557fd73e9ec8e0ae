import type { Context } from '../../core/context.ts'
import type { Cookies } from '../../platform/http/cookies.ts'
import type { App } from '../../platform/http/typed-app.ts'
import { registerAuditRoutes } from './audit/routes.ts'
import { registerStaffEmailRoutes } from './emails/routes.ts'
import { registerListUsersRoute } from './list-users/routes.ts'
import { registerStaffSessionRoutes } from './sessions/routes.ts'
import { registerPowerRoutes } from './users/power-routes.ts'
import { registerStaffRoutes } from './users/routes.ts'

export function registerStaff(app: App, context: Context, cookies: Cookies): void {
  registerStaffRoutes(app, context)
  registerPowerRoutes(app, context)
  registerListUsersRoute(app, context)
  registerStaffSessionRoutes(app, context, cookies)
  registerStaffEmailRoutes(app, context)
  registerAuditRoutes(app, context)
}
