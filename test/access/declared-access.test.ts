import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { ACCESS_RULES, type Access, type AccessRule, accessRuleOf } from '../../server/core/access/access-rules.ts'
import { type DeclaredRoute, requireDeclarations } from '../../server/core/access/declared-routes.ts'
import { hasOrganizationPermission } from '../../server/core/access/organization-permissions.ts'
import { hasStaffPermission } from '../../server/core/access/staff-permissions.ts'
import type { RequestOptions } from '../support/client.ts'
import { onEachDatabase } from '../support/service.ts'
import { userWithRole } from '../support/staff.ts'
import { enableTotp, firstStep } from '../support/two-step.ts'
import { administrator, newEmail, PASSWORD, signedIn, type TestUser } from '../support/users.ts'

const DECLARATION = { access: 'anyone', rateLimit: 'none', impersonated: 'allowed' } as const

test('A route that does not declare its access stops the start', () => {
  const app = Fastify()
  requireDeclarations(app)
  app.get('/declared', { config: DECLARATION }, async () => 'fine')
  assert.throws(() => app.get('/bare', async () => 'open to all'), /GET \/bare does not declare/)
  for (const missing of ['access', 'rateLimit', 'impersonated']) {
    assert.throws(
      () => app.get(`/without-${missing}`, { config: { ...DECLARATION, [missing]: undefined } }, async () => ''),
      /does not declare/,
    )
  }
})

const MISSPELT: Access[] = [
  // @ts-expect-error
  { staff: 'user.bann' },
  // @ts-expect-error
  { organization: 'member.delet' },
  // @ts-expect-error
  { client: 'oauth-client.mange' },
  // @ts-expect-error
  'verified sesion',
]

function exists(access: Access): boolean {
  if (typeof access === 'string') return access in ACCESS_RULES
  if ('staff' in access) return hasStaffPermission('admin', access.staff)
  const required = 'client' in access ? access.client : access.organization
  return required === 'membership' || hasOrganizationPermission('owner', required)
}

test('Each access rule requires what its name says', () => {
  for (const [name, { session, verified, fresh, permission, replacedBy }] of Object.entries(ACCESS_RULES)) {
    assert.equal(session === 'required', !['public', 'anyone'].includes(name), name)
    assert.equal(permission, /staff|organization|client/.exec(name)?.[0] ?? null, name)
    // CVE-2026-53514: an unverified email address gives no permission.
    assert.equal(verified, name.startsWith('verified') || permission !== null, name)
    assert.equal(fresh, name.startsWith('fresh'), name)
    assert.equal(replacedBy, /(?<= or ).*/.exec(name)?.[0] ?? null, name)
  }
  assert.equal(ACCESS_RULES.public.session, 'ignored')
})

onEachDatabase('Declared access', (service) => {
  test('Every route declares a rule or a permission that exists', () => {
    for (const { method, url, access } of service().routes) assert.ok(exists(access), `${method} ${url}`)
    assert.deepEqual(MISSPELT.filter(exists), [])
  })

  const routesWhere = (matches: (rule: AccessRule) => boolean): DeclaredRoute[] => {
    const routes = service().routes.filter(({ method }) => method !== 'HEAD')
    const found = routes.filter(({ access }) => matches(accessRuleOf(access)))
    assert.ok(found.length > 1)
    return found
  }

  async function assertRefused(
    routes: DeclaredRoute[],
    { client, headers = {} }: Pick<TestUser, 'client'> & RequestOptions,
    expected: [number, string],
  ) {
    for (const { method, url } of routes) {
      const path = pathOf(url)
      const answer =
        method === 'GET'
          ? await client.get(path, { headers })
          : await client.post(path, { nonsense: true }, { headers })
      assert.deepEqual([answer.status, answer.body.code], expected, `${method} ${url}`)
      const challenge = answer.headers.get('www-authenticate')
      assert.equal(challenge, answer.status === 401 ? 'Bearer' : null, `${method} ${url}`)
    }
  }

  test('Every route that requires a session refuses a request without one before it validates the input, and asks for a bearer token', async () => {
    const routes = routesWhere(({ session }) => session === 'required')
    for (const route of routes) await assertRefused([route], { client: service().client() }, [401, 'UNAUTHORIZED'])
  })

  test('Every route that requires a session refuses an invented session token', async () => {
    const headers = { authorization: `Bearer ${'a'.repeat(43)}` }
    for (const route of routesWhere(({ session }) => session === 'required'))
      await assertRefused([route], { client: service().client(), headers }, [401, 'UNAUTHORIZED'])
  })

  test('/api/token refuses an empty or damaged session token', async () => {
    for (const authorization of ['Bearer x', 'Bearer ', 'Bearer', 'Basic YTpi', `Bearer ${'a'.repeat(5000)}`]) {
      const answer = await service().client().get('/api/token?org=example', { headers: { authorization } })
      assert.equal(answer.status, 401, authorization.slice(0, 20))
    }
  })

  test('GHSA-xg6x-h9c9-2m83, CVE-2026-58269, CVE-2026-62232, CVE-2026-111949: no route takes a sign-in that waits for the second step for a session', async () => {
    const user = await userWithRole(service(), await administrator(service()), 'admin')
    await enableTotp(service(), user)
    const { twoFactorToken } = (await firstStep(service().client(), user.email)).body
    for (const cookies of [{ 'two-factor': twoFactorToken }, { session: twoFactorToken }]) {
      const client = service().client()
      for (const [name, value] of Object.entries(cookies)) client.cookies.set(name, value)
      assert.equal((await client.get('/api/auth/get-session')).body, null)
      await assertRefused(
        routesWhere(({ session }) => session === 'required'),
        { client },
        [401, 'UNAUTHORIZED'],
      )
    }
    const headers = { authorization: `Bearer ${twoFactorToken}` }
    for (const path of ['/api/token', '/api/auth/token', '/api/auth/admin/list-users', '/api/auth/list-sessions'])
      assert.equal((await service().client().get(path, { headers })).status, 401)
  })

  test('Every route that reads credentials refuses conflicting session tokens', async () => {
    for (const { method, url, access, credentials } of routesWhere(() => true)) {
      if (credentials === 'may disagree') continue
      const { baseUrl } = service()
      const answer = await fetch(baseUrl + pathOf(url), {
        method,
        redirect: 'manual',
        headers: { authorization: 'Bearer one', cookie: 'session=another', origin: baseUrl },
      })
      const isRefused = answer.status === 401 && (await answer.text()).includes('CONFLICTING_CREDENTIALS')
      assert.equal(isRefused, accessRuleOf(access).session !== 'ignored', `${method} ${url}`)
    }
  })

  test('Every route that requires a verified session refuses a user with an unverified email address', async () => {
    const admin = await administrator(service())
    const email = newEmail()
    await admin.client.post('/api/auth/admin/create-user', { email, name: 'Uma Unverified', password: PASSWORD })
    const unverified = await signedIn(service(), email)
    await assertRefused(
      routesWhere(({ verified }) => verified),
      unverified,
      [403, 'EMAIL_NOT_VERIFIED'],
    )
  })

  test('Every staff route refuses a user without the staff permission', async () => {
    const user = await userWithRole(service(), await administrator(service()))
    await assertRefused(
      routesWhere(({ permission }) => permission === 'staff'),
      user,
      [403, 'FORBIDDEN'],
    )
  })

  test('Every staff route refuses a session without the second step that REQUIRE_TWO_FACTOR asks for', async (t) => {
    const admin = await administrator(service())
    t.after(() => {
      service().config.requireTwoFactor = 'none'
    })
    service().config.requireTwoFactor = 'staff'
    await assertRefused(
      routesWhere(({ permission }) => permission === 'staff'),
      admin,
      [403, 'TWO_FACTOR_REQUIRED'],
    )
  })

  test('Every route that requires a fresh session refuses a session that was authenticated 16 minutes ago', async () => {
    const stale = await administrator(service())
    service().advance(16 * 60_000)
    await assertRefused(
      routesWhere(({ fresh }) => fresh),
      stale,
      [403, 'SESSION_NOT_FRESH'],
    )
  })
})

function pathOf(url: string): string {
  return url.replace(/:[a-z]+/g, 'placeholder')
}
