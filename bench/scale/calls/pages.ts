import type { Calls } from '../call.ts'

const PATHS = [
  '/api/auth/ok',
  '/healthz',
  '/readyz',
  '/api/settings',
  '/api/auth/jwks',
  '/.well-known/jwks.json',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  '/.well-known/change-password',
  '/.well-known/passkey-endpoints',
  '/api/auth/openapi.json',
  '/brand.css',
  '/brand/mark',
  '/dev/mailbox/emails',
  '/account',
] as const

/** Routes that ask the database nothing, or the same for all callers. */
export const pageCalls: Calls = {
  ...Object.fromEntries(
    PATHS.map(
      (path) =>
        [`GET ${path}`, (scene) => ({ client: scene.service.client() })] as const satisfies [string, Calls[`GET /`]],
    ),
  ),
  'GET /sign-in': async (scene) => ({ client: (await scene.user()).client }),
}
