import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { tryToSignIn, userWithPasskey } from '../../../test/support/passkeys.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { userWithRole } from '../../../test/support/staff.ts'
import { appOfUri } from '../../../test/support/two-step.ts'
import {
  administrator,
  administratorWithOrganization,
  member,
  PASSWORD,
  type TestMember,
  type TestUser,
} from '../../../test/support/users.ts'
import { hashToken } from '../../platform/crypto/tokens.ts'
import type { AuthenticationMethods } from '../../platform/database/tables.ts'
import { AUTHENTICATION_METHODS } from '../sessions/authentication-methods.ts'

const STAFF_ROUTE = '/api/auth/admin/list-users'

onEachDatabase('Two-step policy', (service) => {
  const setPolicy = (requireTwoFactor: 'none' | 'staff' | 'all') => {
    service().config.requireTwoFactor = requireTwoFactor
  }
  const setMethods = ({ token }: Pick<TestUser, 'token'>, authenticationMethods: AuthenticationMethods) =>
    service()
      .context.database.updateTable('sessions')
      .set({ authenticationMethods })
      .where('tokenHash', '=', hashToken(token))
      .execute()
  const requireOf = ({ organization }: TestMember, requireTwoFactor: number) =>
    service()
      .context.database.updateTable('organizations')
      .set({ requireTwoFactor })
      .where('id', '=', organization.id)
      .execute()
  const tokenPaths = ({ organization }: TestMember) => [`/api/token?org=${organization.slug}`, '/api/auth/token']
  async function codes({ client }: Pick<TestUser, 'client'>, paths: string[]) {
    const answers = []
    for (const path of paths) answers.push(await client.get(path))
    return answers.map(({ status, body }) => (status === 200 ? 200 : body.code))
  }
  const REFUSED = ['TWO_FACTOR_REQUIRED', 'TWO_FACTOR_REQUIRED']

  test('REQUIRE_TWO_FACTOR=staff refuses staff routes and tokens to staff sessions without a second step, also to older ones', async (t) => {
    t.after(() => setPolicy('none'))
    const founder = await administratorWithOrganization(service())
    const hire = await member(service(), founder)
    assert.deepEqual(await codes(founder, [...tokenPaths(founder), STAFF_ROUTE]), [200, 200, 200])
    setPolicy('staff')
    assert.deepEqual(await codes(founder, [...tokenPaths(founder), STAFF_ROUTE]), [...REFUSED, 'TWO_FACTOR_REQUIRED'])
    assert.deepEqual(await codes(hire, [...tokenPaths(founder), STAFF_ROUTE]), [200, 200, 'FORBIDDEN'])
    for (const methods of new Set(Object.values(AUTHENTICATION_METHODS)))
      if (methods !== AUTHENTICATION_METHODS.password) {
        await setMethods(founder, methods)
        assert.deepEqual(await codes(founder, [...tokenPaths(founder), STAFF_ROUTE]), [200, 200, 200], methods)
      }
    const { status, body } = await (await administrator(service())).client.get(STAFF_ROUTE)
    const url = `${service().baseUrl}/account/security`
    const message = `Two-step verification is required here. Sign in with a passkey or a code, or set it up at ${url}.`
    assert.deepEqual([status, body], [403, { code: 'TWO_FACTOR_REQUIRED', message, url }])
  })

  test('REQUIRE_TWO_FACTOR=all refuses tokens to every session without a second step, and nothing else', async (t) => {
    t.after(() => setPolicy('none'))
    const founder = await administratorWithOrganization(service())
    const hire = await member(service(), founder)
    setPolicy('all')
    assert.deepEqual(await codes(hire, tokenPaths(founder)), REFUSED)
    const others = ['get-session', 'list-sessions', 'organization/list', 'organization/list-members']
    assert.deepEqual(
      await codes(
        hire,
        others.map((path) => `/api/auth/${path}`),
      ),
      [200, 200, 200, 200],
    )
    await setMethods(hire, AUTHENTICATION_METHODS['password and code'])
    assert.deepEqual(await codes(hire, tokenPaths(founder)), [200, 200])
  })

  test('A user with a passkey is refused in a session of the password, and not in one of the passkey', async (t) => {
    t.after(() => setPolicy('none'))
    const user = await userWithPasskey(service())
    const client = service().client()
    const [path = ''] = tokenPaths(user)
    setPolicy('all')
    assert.deepEqual(await codes(user, [path]), ['TWO_FACTOR_REQUIRED'])
    assert.equal((await tryToSignIn(client, user.authenticator)).status, 200)
    const { token } = (await client.get(path)).body
    assert.deepEqual(decodeJwt(token).amr, ['hwk', 'user', 'mfa'])
    assert.deepEqual(await codes(user, [path]), ['TWO_FACTOR_REQUIRED'], 'the other session stays as it is')
  })

  test('has-permission tells staff without a second step no role of another user', async (t) => {
    t.after(() => setPolicy('none'))
    const admin = await administrator(service())
    const support = await userWithRole(service(), admin, 'support')
    const ask = (userId: string) =>
      support.client.post('/api/auth/admin/has-permission', { userId, permissions: { user: ['list'] } })
    setPolicy('staff')
    assert.equal((await ask(admin.id)).body.code, 'TWO_FACTOR_REQUIRED')
    assert.equal((await ask(support.id)).status, 200)
    await setMethods(support, AUTHENTICATION_METHODS.passkey)
    assert.equal((await ask(admin.id)).status, 200)
  })

  test('A user who becomes staff gets no token with is_staff from a session without a second step', async (t) => {
    t.after(() => setPolicy('none'))
    const founder = await administratorWithOrganization(service())
    const hire = await member(service(), founder)
    setPolicy('staff')
    assert.deepEqual(await codes(hire, tokenPaths(founder)), [200, 200])
    await service().context.database.updateTable('users').set({ role: 'support' }).where('id', '=', hire.id).execute()
    assert.deepEqual(await codes(hire, tokenPaths(founder)), REFUSED)
  })

  test('An organization that requires a second step refuses its tokens only, and asks no API key', async () => {
    const founder = await administratorWithOrganization(service())
    const other = await administratorWithOrganization(service())
    const { body: apiKey } = await founder.client.post('/api/auth/api-key/create', { name: 'Export' })
    await requireOf(founder, 1)
    assert.deepEqual(await codes(founder, tokenPaths(founder)), REFUSED)
    assert.deepEqual(await codes(founder, [`/api/token?org=${other.organization.slug}`, STAFF_ROUTE]), [200, 200])
    setPolicy('all')
    const headers = { 'x-api-key': apiKey.key }
    const forKey = await service().client().get(`/api/token?org=${founder.organization.slug}`, { headers })
    setPolicy('none')
    assert.equal(forKey.status, 200)
    await setMethods(founder, AUTHENTICATION_METHODS.passkey)
    assert.deepEqual(await codes(founder, tokenPaths(founder)), [200, 200])
  })

  test("An impersonated session is judged by the impersonator's sign-in, and can always end", async (t) => {
    t.after(() => setPolicy('none'))
    const founder = await administratorWithOrganization(service())
    const hire = await member(service(), founder)
    const support = await userWithRole(service(), founder, 'admin')
    const impersonate = async () => {
      const { status } = await support.client.post('/api/auth/admin/impersonate-user', { userId: hire.id })
      assert.equal(status, 200)
      const organizationId = founder.organization.id
      await support.client.post('/api/auth/organization/set-active', { organizationId })
    }
    await impersonate()
    setPolicy('staff')
    assert.deepEqual(await codes(support, tokenPaths(founder)), REFUSED)
    assert.equal((await support.client.post('/api/auth/admin/stop-impersonating')).status, 200)
    const refused = await support.client.post('/api/auth/admin/impersonate-user', { userId: hire.id })
    assert.equal(refused.body.code, 'TWO_FACTOR_REQUIRED')
    await setMethods(support, AUTHENTICATION_METHODS['password and recovery code'])
    await impersonate()
    const [path = ''] = tokenPaths(founder)
    const claims = decodeJwt((await support.client.get(path)).body.token)
    assert.deepEqual([claims.sub, claims.amr], [hire.id, ['pwd', 'mfa']])
  })

  test('get-status names what requires two-step verification, and the setup in the same session satisfies it', async (t) => {
    t.after(() => setPolicy('none'))
    const [founder, other] = [
      await administratorWithOrganization(service()),
      await administratorWithOrganization(service()),
    ]
    const hire = await member(service(), founder)
    const post = (name: string, body: object) => hire.client.post(`/api/auth/two-factor/${name}`, body)
    const status = async () => {
      const { requiredBy, isSatisfied } = (await hire.client.get('/api/auth/two-factor/get-status')).body
      return { requiredBy, isSatisfied }
    }
    await requireOf(other, 1)
    setPolicy('staff')
    assert.deepEqual(await status(), { requiredBy: [], isSatisfied: true })
    await requireOf(founder, 1)
    const { id, name, slug } = founder.organization
    const ofOrganization = { kind: 'organization', id, name, slug }
    assert.deepEqual(await status(), { requiredBy: [ofOrganization], isSatisfied: false })
    setPolicy('all')
    const requiredBy = [{ kind: 'service' }, ofOrganization]
    assert.deepEqual(await status(), { requiredBy, isSatisfied: false })
    assert.deepEqual(await codes(hire, tokenPaths(founder)), REFUSED)

    const { totpURI } = (await post('enable', { password: PASSWORD })).body
    assert.deepEqual(await codes(hire, tokenPaths(founder)), REFUSED, 'before the first code')
    await post('verify-totp', { code: appOfUri(totpURI).codeAt(service().context.now()) })
    assert.deepEqual(await status(), { requiredBy, isSatisfied: true })
    const [path = ''] = tokenPaths(founder)
    assert.deepEqual(decodeJwt((await hire.client.get(path)).body.token).amr, ['pwd', 'otp', 'mfa'])
  })

  test('get-system says what REQUIRE_TWO_FACTOR asks for, and how many of the staff have no second step', async (t) => {
    t.after(() => setPolicy('none'))
    const admin = await administrator(service())
    const { database } = service().context
    const setEnabled = (twoFactorEnabled: number) =>
      database.updateTable('users').set({ twoFactorEnabled }).where('role', '!=', 'user').execute()
    const message = async () => {
      const { checks } = (await admin.client.get('/api/auth/admin/get-system')).body
      return checks.find(({ name }: { name: string }) => name === 'two-step verification').message
    }
    await setMethods(admin, AUTHENTICATION_METHODS.passkey)
    assert.equal(await message(), 'required by organizations only')
    setPolicy('all')
    await setEnabled(1)
    assert.equal(await message(), 'required of all users')
    await database.updateTable('users').set({ twoFactorEnabled: 0 }).where('id', '=', admin.id).execute()
    assert.match(await message(), /; 1 of the staff have neither a second step nor a passkey yet$/)
    await setEnabled(0)
  })
})
