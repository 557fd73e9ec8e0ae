import { readFileSync } from 'node:fs'
import type { Context } from '../../core/context.ts'
import { hasAdmin } from '../../core/users/store.ts'
import type { ImageFile } from '../../platform/config/read-image.ts'
import { FixedResponse } from '../../platform/http/fixed-response.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { responses } from '../../platform/http/schemas.ts'
import { brandStyle } from './brand-style.ts'
import { Settings } from './schemas.ts'

const OUR_MARK: ImageFile = {
  content: readFileSync(new URL('mark.svg', import.meta.url)),
  contentType: 'image/svg+xml',
}
/** Short, because the content at these addresses changes with the settings. */
const CACHE_CONTROL = 'public, max-age=60'

export function registerBrandRoutes(app: HttpApp, { config, database }: Context): void {
  const { brand, services, relyingPartyId, organizationCreation } = config
  const settings = {
    relyingPartyId,
    organizationCreation,
    brandName: brand.name,
    mark: brand.mark ? '/brand/mark' : null,
    accent: brand.accent,
    supportUrl: brand.supportUrl ?? null,
    privacyUrl: brand.privacyUrl ?? null,
    services,
  }
  let isSetUp = false
  app.get(
    '/api/settings',
    {
      config: { access: 'public', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary:
          'The brand, the addresses for help and privacy, the services, who may create organizations, and whether an administrator exists',
        response: responses(Settings),
      },
    },
    async (_request, reply) => {
      // The last administrator can't be deleted, so the query runs only before setup and once after it.
      isSetUp ||= await hasAdmin(database)
      reply.header('cache-control', isSetUp ? CACHE_CONTROL : 'no-cache')
      return { isSetUp, ...settings }
    },
  )

  const { content, contentType } = brand.mark ?? OUR_MARK
  const files = {
    '/brand/mark': new FixedResponse(content, { 'content-type': contentType, 'cache-control': CACHE_CONTROL }),
    '/brand.css': new FixedResponse(brandStyle(brand), {
      'content-type': 'text/css; charset=utf-8',
      'cache-control': CACHE_CONTROL,
    }),
  }
  for (const [url, file] of Object.entries(files)) {
    app.get(
      url,
      { config: { access: 'public', rateLimit: 'none', impersonated: 'allowed' }, schema: { hide: true } },
      async (request, reply) => file.send(request, reply),
    )
  }
}
