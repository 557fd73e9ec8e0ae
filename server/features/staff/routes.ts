import type { Context } from '../../core/context.ts'
import type { RateLimits } from '../../core/limits/rate-limits.ts'
import type { Cookies } from '../../platform/http/cookies.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { registerStaffAppRoute } from './apps/routes.ts'
import { registerAuditRoutes } from './audit/routes.ts'
import { registerBanRoutes } from './bans/routes.ts'
import { registerStaffEmailRoutes } from './emails/routes.ts'
import { registerImpersonationRoutes } from './impersonation/routes.ts'
import { registerStaffLimitRoutes } from './limits/routes.ts'
import { registerListUsersRoute } from './list-users/routes.ts'
import { registerStaffOrganizationRoutes } from './organizations/routes.ts'
import { registerStaffSessionRoutes } from './sessions/routes.ts'
import { registerSignInStatusRoute } from './sign-in-status/routes.ts'
import { registerStatisticsRoute } from './statistics/routes.ts'
import { registerSystemRoute } from './system/routes.ts'
import type { SystemParts } from './system/system-parts.ts'
import { registerTwoStepResetRoute } from './two-step/routes.ts'
import { registerStaffUserRoutes } from './users/routes.ts'

export function registerStaff(
  app: HttpApp,
  context: Context,
  cookies: Cookies,
  rateLimits: RateLimits,
  system: SystemParts,
): void {
  registerStaffUserRoutes(app, context)
  registerBanRoutes(app, context)
  registerListUsersRoute(app, context)
  registerStaffSessionRoutes(app, context)
  registerStaffAppRoute(app, context)
  registerImpersonationRoutes(app, context, cookies)
  registerStaffEmailRoutes(app, context)
  registerAuditRoutes(app, context)
  registerStaffOrganizationRoutes(app, context)
  registerStatisticsRoute(app, context)
  registerStaffLimitRoutes(app, context, rateLimits)
  registerSystemRoute(app, context, rateLimits, system)
  registerTwoStepResetRoute(app, context)
  registerSignInStatusRoute(app, context, rateLimits)
}
