import type { Origins } from '../../core/access/origins.ts'
import type { Context } from '../../core/context.ts'
import type { RateLimits } from '../../core/limits/rate-limits.ts'
import type { Cookies } from '../../platform/http/cookies.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { registerAppRoutes } from './apps/routes.ts'
import { registerDeletionRoutes } from './deletion/routes.ts'
import { registerEmailRoutes } from './email/routes.ts'
import { registerLinkRoutes } from './links/routes.ts'
import { registerPasskeyRoutes } from './passkeys/routes.ts'
import { registerPasswordRoutes } from './passwords/routes.ts'
import { registerProfileRoutes } from './profile/routes.ts'
import { registerSecurityEventRoutes } from './security-events/routes.ts'
import { registerSessionRoutes } from './sessions/routes.ts'
import { registerSetupRoutes } from './setup/routes.ts'
import { registerTwoStepRoutes } from './two-step/routes.ts'

export function registerAccount(
  app: HttpApp,
  context: Context,
  cookies: Cookies,
  origins: Origins,
  rateLimits: RateLimits,
): void {
  registerSessionRoutes(app, context, cookies, origins)
  registerSecurityEventRoutes(app, context)
  registerAppRoutes(app, context)
  registerPasswordRoutes(app, context, cookies, rateLimits)
  registerEmailRoutes(app, context, rateLimits)
  registerLinkRoutes(app, context, rateLimits)
  registerProfileRoutes(app, context)
  registerDeletionRoutes(app, context, cookies, rateLimits)
  registerPasskeyRoutes(app, context, cookies, rateLimits)
  registerTwoStepRoutes(app, context, cookies, rateLimits)
  registerSetupRoutes(app, context, cookies, rateLimits)
}
