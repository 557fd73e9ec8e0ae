import type { Context } from '../../../core/context.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { responses } from '../../../platform/http/schemas.ts'
import { toIso, toIsoOrNull } from '../../../platform/http/time.ts'
import { listAttention } from './list-attention.ts'
import { SystemResponse } from './schemas.ts'
import type { SystemParts } from './system-parts.ts'

export function registerSystemRoute(app: HttpApp, context: Context, rateLimits: RateLimits, parts: SystemParts): void {
  app.get(
    '/api/auth/admin/get-system',
    {
      config: { access: { staff: 'system.read' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Get the version, the quick checks of doctor, the signing keys, and what needs attention',
        response: responses(SystemResponse),
      },
    },
    async () => {
      const { returnToOrigins, trustedOrigins, database } = context.config
      const checks = await parts.runChecks()
      const signingKeys = await parts.listSigningKeys()
      return {
        version: parts.version,
        engine: database.engine,
        startedAt: toIso(parts.startedAt),
        checks,
        signingKeys: signingKeys.map(({ activeAt, retiresAt, ...key }) => ({
          ...key,
          activeAt: toIso(activeAt),
          retiresAt: toIsoOrNull(retiresAt),
        })),
        returnToOrigins,
        trustedOrigins,
        attention: await listAttention(context, rateLimits, parts, checks),
      }
    },
  )
}
