import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearerClient } from '../support/bearer-client.ts'
import { operations } from '../support/operations.ts'
import { onEachDatabase } from '../support/service.ts'
import { userWithRole } from '../support/staff.ts'
import { administrator, type TestUser } from '../support/users.ts'

/** Routes that an impersonator may call: reads, the active organization, tokens, name and picture, and sign-out. All others refuse. */
const ALLOWED = [
  'get /api/auth/get-session',
  'post /api/auth/get-session',
  'post /api/auth/sign-out',
  'post /api/auth/update-session',
  'post /api/auth/update-user',
  'get /api/auth/list-accounts',
  'get /api/auth/reset-password/placeholder',
  'post /api/auth/organization/check-slug',
  'post /api/auth/organization/set-active',
  'get /api/auth/organization/list',
  'get /api/auth/organization/get-organization',
  'get /api/auth/organization/get-full-organization',
  'post /api/auth/organization/has-permission',
  'get /api/auth/organization/get-overview',
  'get /api/auth/organization/list-audit-events',
  'get /api/auth/organization/preview-invitation',
  'get /api/auth/organization/list-members',
  'get /api/auth/organization/get-active-member',
  'get /api/auth/organization/get-active-member-role',
  'get /api/auth/organization/list-invitations',
  'get /api/auth/organization/get-invitation',
  'get /api/auth/organization/list-user-invitations',
  'post /api/auth/api-key/verify',
  'get /api/auth/oauth2/get-interaction',
  'post /api/auth/oauth2/choose-organization',
  'get /api/token',
  'get /api/auth/token',
  'get /api/auth/jwks',
  'get /api/auth/ok',
  'get /api/settings',
  'post /api/auth/admin/has-permission',
  'post /api/auth/admin/stop-impersonating',
]

onEachDatabase('Impersonation', (service) => {
  async function impersonate(): Promise<Pick<TestUser, 'token'>> {
    const admin = await administrator(service())
    const { id: userId } = await userWithRole(service(), admin)
    const { body } = await admin.client.post('/api/auth/admin/impersonate-user', { userId })
    return { token: body.session.token }
  }

  test('Better Auth #6454: an impersonator is refused on every route that creates credentials, keys or memberships, or changes addresses', async () => {
    const { get, post } = bearerClient(service(), await impersonate())
    const all = (await operations(service())).filter(({ path }) => /^\/(api|invite)\//.test(path))
    const names = all.map(({ method, path }) => `${method} ${path}`)
    assert.deepEqual(
      ALLOWED.filter((name) => !names.includes(name)),
      [],
    )
    for (const { method, path } of all) {
      if (ALLOWED.includes(`${method} ${path}`)) continue
      const { status, body } = method === 'get' ? await get(path) : await post(path, {})
      assert.deepEqual([status, body.code], [403, 'IMPERSONATION_NOT_ALLOWED'], `${method} ${path}`)
    }
  })

  test('No route that an impersonator may call requires a fresh session, because their session never is fresh', async () => {
    const { token } = await impersonate()
    const bearer = { headers: { authorization: `Bearer ${token}` } }
    for (const name of ALLOWED) {
      if (/sign-out|stop-impersonating/.test(name)) continue
      const [method, path = ''] = name.split(' ')
      const client = service().client()
      const { body } = await (method === 'get' ? client.get(path, bearer) : client.post(path, {}, bearer))
      for (const refusal of ['SESSION_NOT_FRESH', 'IMPERSONATION_NOT_ALLOWED', 'UNAUTHORIZED'])
        assert.notEqual(body?.code, refusal, name)
    }
    const { body: session } = await service().client().get('/api/auth/get-session', bearer)
    assert.ok(session.session.impersonatedBy, 'the session of the impersonator has lasted')
  })
})
