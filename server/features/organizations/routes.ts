import type { Context } from '../../core/context.ts'
import type { RateLimits } from '../../core/limits/rate-limits.ts'
import type { Cookies } from '../../platform/http/cookies.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { registerApiKeyRoutes } from './api-keys/routes.ts'
import { registerOrganizationAuditRoutes } from './audit/routes.ts'
import { registerInvitationRoutes } from './invitations/routes.ts'
import { registerMemberRoutes } from './members/routes.ts'
import { registerOrganizationRoutes } from './organizations/routes.ts'

export function registerOrganizations(app: HttpApp, context: Context, cookies: Cookies, rateLimits: RateLimits): void {
  registerOrganizationRoutes(app, context)
  registerMemberRoutes(app, context)
  registerInvitationRoutes(app, context, cookies, rateLimits)
  registerApiKeyRoutes(app, context, rateLimits)
  registerOrganizationAuditRoutes(app, context)
}
