import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/support/service.ts'
import { userWithRole } from '../../../test/support/staff.ts'
import {
  administrator,
  administratorWithOrganization,
  invite,
  newUser,
  PASSWORD,
  type TestUser,
} from '../../../test/support/users.ts'
import { accessRuleOf } from './access-rules.ts'

const CHANGED = [409, 'SESSION_CHANGED']

onEachDatabase('x-session-id', (service) => {
  const idOf = async ({ token }: Pick<TestUser, 'token'>): Promise<string> => {
    const bearer = { headers: { authorization: `Bearer ${token}` } }
    return (await service().client().get('/api/auth/get-session', bearer)).body.session.id
  }
  const naming = (id: string, headers: Record<string, string> = {}) => ({ headers: { 'x-session-id': id, ...headers } })
  /** Two sessions of one user, because the header names a session and not a user. */
  const twoSessions = async () => {
    const mine = await administrator(service())
    const other = await administrator(service())
    return { mine, other, ownId: await idOf(mine), otherId: await idOf(other) }
  }

  test('Every route that reads a session returns 409 SESSION_CHANGED for a session that x-session-id does not name', async () => {
    const { mine, ownId, otherId } = await twoSessions()
    for (const { method, url, access } of service().routes) {
      const answer = await fetch(service().baseUrl + url.replace(/:[a-z]+/g, 'placeholder'), {
        method,
        redirect: 'manual',
        headers: { ...naming(otherId).headers, authorization: `Bearer ${mine.token}`, origin: service().baseUrl },
      })
      const expected = accessRuleOf(access).session !== 'ignored'
      assert.equal(answer.status === 409, expected, `${method} ${url}: ${answer.status}`)
    }
    assert.equal(await idOf(mine), ownId, 'sign-out and revoke-sessions did nothing')
  })

  test('A request with the cookie or the token of another session changes nothing, and one of the named session does', async () => {
    const { mine, ownId, otherId } = await twoSessions()
    const bearer = { authorization: `Bearer ${mine.token}` }
    for (const [client, headers] of [
      [mine.client, {}],
      [service().client(), bearer],
    ] as const) {
      const before = (await client.get('/api/auth/get-session', { headers })).body.user.name
      const post = (name: string, id: string) => client.post('/api/auth/update-user', { name }, naming(id, headers))
      for (const wrong of [otherId, '', 'none', `${ownId}, ${otherId}`]) {
        const { status, body } = await post('Written by the wrong tab', wrong)
        assert.deepEqual([status, body.code], CHANGED, wrong)
      }
      assert.equal((await client.get('/api/auth/get-session', { headers })).body.user.name, before)
      assert.equal((await post('Ada Admin', ownId)).status, 200)
      const read = await client.get('/api/auth/get-session', naming(otherId, headers))
      assert.deepEqual([read.status, read.body.code, read.body.user], [...CHANGED, undefined])
    }
  })

  test('A session that ended returns 401 where a session is required, also beside an API key or an invitation', async () => {
    const { client, organization, ...gone } = await administratorWithOrganization(service())
    const id = await idOf(gone)
    const { key } = (await client.post('/api/auth/api-key/create', { organizationId: organization.id, name: 'Export' }))
      .body
    const { linkPath } = await invite(service(), { client, organization, ...gone })
    await client.post('/api/auth/sign-out')
    await client.get(linkPath)
    const signUp = '/api/auth/passkey/generate-register-options?context=sign-up&name=Hilda'
    assert.equal((await client.get(signUp)).status, 200)
    const token = `/api/token?org=${organization.slug}`
    const answers = [
      await client.get('/api/auth/list-sessions', naming(id)),
      await client.get(signUp, naming(id)),
      await service()
        .client()
        .get(token, naming(id, { 'x-api-key': key })),
    ]
    for (const { status, body } of answers) assert.deepEqual([status, body.code], [401, 'UNAUTHORIZED'])
  })

  test('A user whose session ended can sign out, read no session, and sign in again with the id of the ended session', async () => {
    const { client, email, ...gone } = await administrator(service())
    const id = await idOf(gone)
    assert.equal((await client.post('/api/auth/sign-out', {}, naming(id))).status, 200)
    assert.equal((await client.post('/api/auth/sign-out', {}, naming(id))).status, 200)
    assert.equal((await client.get('/api/auth/get-session', naming(id))).body, null)
    const signIn = await client.post('/api/auth/sign-in/email', { email, password: PASSWORD }, naming(id))
    assert.equal(signIn.status, 200)
    assert.deepEqual((await client.get('/api/auth/list-sessions', naming(id))).status, 409)
  })

  test('Sign-out and sign-in with several tokens revoke no session that x-session-id does not name', async () => {
    const { mine, other, ownId } = await twoSessions()
    const cookie = { cookie: `session=${other.token}`, authorization: `Bearer ${mine.token}` }
    const client = service().client()
    const signOut = await client.post('/api/auth/sign-out', {}, naming(ownId, cookie))
    assert.deepEqual([signOut.status, signOut.body.code], CHANGED)
    const { email } = mine
    const signIn = await client.post('/api/auth/sign-in/email', { email, password: PASSWORD }, naming(ownId, cookie))
    assert.deepEqual([signIn.status, signIn.body.code], CHANGED)
    for (const user of [mine, other]) assert.ok(await idOf(user))
    const stale = { cookie: 'session=stale', authorization: `Bearer ${mine.token}` }
    assert.equal((await client.post('/api/auth/sign-out', {}, naming(ownId, stale))).status, 200)
  })

  test('verify-password keeps the id of the session, and impersonation changes it and restores it', async () => {
    const admin = await administrator(service())
    const { client } = admin
    const id = await idOf(admin)
    assert.equal((await client.post('/api/auth/verify-password', { password: PASSWORD }, naming(id))).status, 200)
    assert.equal((await client.get('/api/auth/list-sessions', naming(id))).status, 200)
    const userId = await newUser(service())
    const started = await client.post('/api/auth/admin/impersonate-user', { userId }, naming(id))
    const impersonatedId = started.body.session.id
    assert.notEqual(impersonatedId, id)
    assert.equal((await client.post('/api/auth/update-user', { name: 'Ada Admin' }, naming(id))).status, 409)
    assert.equal((await client.get('/api/auth/get-session', naming(impersonatedId))).body.user.id, userId)
    assert.equal((await client.post('/api/auth/admin/stop-impersonating', {}, naming(id))).status, 409)
    assert.equal((await client.post('/api/auth/admin/stop-impersonating', {}, naming(impersonatedId))).status, 200)
    assert.equal((await client.get('/api/auth/list-sessions', naming(id))).status, 200)
  })

  test('A tab of one user is refused after another user signed in in the same browser', async () => {
    const admin = await administrator(service())
    const { email } = await userWithRole(service(), admin)
    const id = await idOf(admin)
    await admin.client.post('/api/auth/sign-in/email', { email, password: PASSWORD })
    const late = await admin.client.post('/api/auth/update-user', { name: 'Ada Admin' }, naming(id))
    assert.deepEqual([late.status, late.body.code], CHANGED)
    const { user } = (await admin.client.get('/api/auth/get-session')).body
    assert.deepEqual([user.email, user.name], [email, 'Paula Parker'])
  })

  test('x-session-id may be sent by pages of other origins, and the OpenAPI document describes it', async () => {
    const origin = service().baseUrl
    const { headers } = await fetch(`${origin}/api/token`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-session-id' },
    })
    assert.equal(headers.get('access-control-allow-headers'), 'x-session-id')
    const { paths } = (await service().client().get('/api/auth/openapi.json')).body
    const named = (path: string, method: string) =>
      paths[path][method].parameters?.some((parameter: { name: string }) => parameter.name === 'x-session-id') ?? false
    assert.equal(named('/api/auth/list-sessions', 'get'), true)
    assert.equal(named('/api/auth/sign-out', 'post'), true)
    assert.equal(named('/api/auth/jwks', 'get'), false)
  })
})
