import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearerClient } from '../../../../test/support/bearer-client.ts'
import { onEachDatabase, startService } from '../../../../test/support/service.ts'
import { afterStatement } from '../../../../test/support/statements.ts'
import {
  administrator,
  administratorWithOrganization,
  newMember,
  PASSWORD,
  signedIn,
} from '../../../../test/support/users.ts'
import { listColumns } from '../../../platform/database/list-columns.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

onEachDatabase('sessions', (service) => {
  const get = (token: string, path = '/api/auth/get-session') =>
    service()
      .client()
      .get(path, { headers: { authorization: `Bearer ${token}` } })

  test('list-sessions returns no token but that of the calling session', async () => {
    const one = await newMember(service())
    const two = await signedIn(service(), one.email)
    const { body } = await two.client.get('/api/auth/list-sessions')
    assert.equal(body.length, 2)
    const tokens = body.map(({ token }: { token: string }) => token)
    assert.ok(tokens.includes(two.token))
    assert.ok(!tokens.includes(one.token))
    const [handle] = tokens.filter((token: string) => token !== two.token)
    assert.equal((await get(handle)).body, null)
    assert.deepEqual(Object.keys(body[0]).toSorted(), [
      'activeOrganizationId',
      'createdAt',
      'expiresAt',
      'id',
      'impersonatedBy',
      'ipAddress',
      'lastUsedAt',
      'token',
      'updatedAt',
      'userAgent',
      'userId',
    ])
  })

  test('revoke-session revokes a session by its handle or its token', async () => {
    const one = await newMember(service())
    const two = await signedIn(service(), one.email)
    const three = await signedIn(service(), one.email)
    const listed = (await three.client.get('/api/auth/list-sessions')).body as { id: string; token: string }[]
    const idOfOne = (await one.client.get('/api/auth/get-session')).body.session.id
    const handle = listed.find(({ id }) => id === idOfOne)?.token
    assert.deepEqual((await three.client.post('/api/auth/revoke-session', { token: handle })).body, { status: true })
    assert.equal((await get(one.token)).body, null)
    assert.equal((await three.client.post('/api/auth/revoke-session', { token: two.token })).status, 200)
    assert.equal((await get(two.token)).body, null)
    assert.notEqual((await get(three.token)).body, null)
    assert.equal(
      (await three.client.post('/api/auth/revoke-session', { token: handle })).body.code,
      'SESSION_NOT_FOUND',
    )
  })

  test('CVE-2025-53895, Better Auth #9991: revoke-session returns 404 for a session of another user, by id, handle or token', async () => {
    const victim = await newMember(service())
    const attacker = await newMember(service())
    const { id } = (await victim.client.get('/api/auth/get-session')).body.session
    for (const token of [id, victim.token, victim.id]) {
      const answer = await attacker.client.post('/api/auth/revoke-session', { token })
      assert.deepEqual([answer.status, answer.body.code], [404, 'SESSION_NOT_FOUND'])
    }
    assert.notEqual((await get(victim.token)).body, null)
  })

  test('revoke-other-sessions and revoke-sessions revoke all sessions, without and with the calling one', async () => {
    const one = await newMember(service())
    const two = await signedIn(service(), one.email)
    await two.client.post('/api/auth/revoke-other-sessions')
    assert.equal((await get(one.token)).body, null)
    assert.notEqual((await get(two.token)).body, null)
    const answer = await two.client.post('/api/auth/revoke-sessions')
    assert.deepEqual(answer.body, { status: true })
    assert.equal((await get(two.token)).body, null)
    assert.equal(two.client.cookies.get('session'), undefined)
  })

  test('A session expires after 7 days without use, and after 30 days in any case', async () => {
    const { email } = await newMember(service())
    const idle = await signedIn(service(), email)
    const used = await signedIn(service(), email)
    service().advance(7 * DAY - HOUR)
    assert.notEqual((await get(used.token)).body, null)
    service().advance(HOUR)
    assert.equal((await get(idle.token)).body, null)
    const listed = (await used.client.get('/api/auth/list-sessions')).body
    assert.deepEqual(
      listed.map(({ token }: { token: string }) => token),
      [used.token],
    )
    for (let day = 7; day < 29; day += 1) {
      service().advance(DAY)
      assert.notEqual((await get(used.token)).body, null, `day ${day + 1}`)
    }
    service().advance(DAY)
    assert.equal((await get(used.token)).body, null)
  })

  test('A session is extended at most once a day', async () => {
    const { token } = await newMember(service())
    const expiry = async () => (await get(token)).body.session.expiresAt
    const first = await expiry()
    service().advance(DAY - HOUR)
    assert.equal(await expiry(), first)
    service().advance(HOUR)
    const second = await expiry()
    assert.notEqual(second, first)
    service().advance(HOUR)
    assert.equal(await expiry(), second)
  })

  test('get-session with disableRefresh=true extends no session, by GET and by POST', async () => {
    const { token } = await newMember(service())
    const client = bearerClient(service(), { token })
    const first = (await get(token)).body.session
    service().advance(2 * DAY)
    const path = '/api/auth/get-session?disableRefresh=true'
    for (const answer of [await client.get(path), await client.post(path), await client.get(path)])
      assert.deepEqual(answer.body.session, first)
    const extended = (await client.get('/api/auth/get-session?disableRefresh=false')).body.session
    assert.notEqual(extended.expiresAt, first.expiresAt)
    assert.deepEqual((await client.get(path)).body.session, extended)
  })

  test('A session of rememberMe: false expires after a day, used or not', async () => {
    const { email } = await newMember(service())
    const { body } = await service()
      .client()
      .post('/api/auth/sign-in/email', { email, password: PASSWORD, rememberMe: false })
    service().advance(DAY - HOUR)
    assert.notEqual((await get(body.token)).body, null)
    service().advance(HOUR)
    assert.equal((await get(body.token)).body, null)
  })

  test('get-session returns the same by POST as by GET, and null without a session', async () => {
    const { client } = await newMember(service())
    const got = await client.get('/api/auth/get-session')
    const posted = await client.post('/api/auth/get-session')
    assert.deepEqual(posted.body, got.body)
    assert.equal(got.headers.get('cache-control'), 'no-store')
    const anonymous = await service().client().get('/api/auth/get-session')
    assert.deepEqual(
      [anonymous.status, anonymous.body, anonymous.headers.get('cache-control')],
      [200, null, 'no-store'],
    )
  })

  test('update-session stores properties, and get-session returns them', async () => {
    const { client } = await newMember(service())
    await client.post('/api/auth/update-session', { theme: 'dark', cart: { items: [1, 2] }, gone: 1 })
    const { body } = await client.post('/api/auth/update-session', { theme: 'light', gone: null })
    assert.equal(body.session.theme, 'light')
    const { session } = (await client.get('/api/auth/get-session')).body
    assert.deepEqual([session.theme, session.cart, 'gone' in session], ['light', { items: [1, 2] }, false])
    assert.equal(session.token, client.cookies.get('session'))
  })

  test('update-session writes at most 200 characters of the names of properties to the audit log', async () => {
    const { client, id } = await newMember(service())
    const name = 'theme'.repeat(100)
    assert.equal((await client.post('/api/auth/update-session', { [name]: 'dark' })).status, 200)
    const { details } = await service()
      .context.database.selectFrom('auditEvents')
      .select('details')
      .where('action', '=', 'session.updated')
      .where('subjectId', '=', id)
      .executeTakeFirstOrThrow()
    assert.equal(JSON.parse(details).fields, name.slice(0, 200))
  })

  test('update-session refuses every field of the service', async () => {
    const { client } = await newMember(service())
    const before = (await client.get('/api/auth/get-session')).body
    const columns = await listColumns(service().context.database, 'sessions')
    assert.ok(columns.includes('authenticationMethods'))
    for (const field of ['token', 'impersonationReason', ...columns]) {
      if (field === 'activeOrganizationId') continue
      const answer = await client.post('/api/auth/update-session', { harmless: 1, [field]: before.user.id })
      assert.deepEqual([answer.status, answer.body.code, answer.body.field], [400, 'FIELD_NOT_ALLOWED', field])
    }
    assert.equal((await client.post('/api/auth/update-session', { big: 'x'.repeat(5000) })).status, 400)
    assert.deepEqual((await client.get('/api/auth/get-session')).body, before)
  })

  test('update-session refuses the names of JavaScript objects, and fields of the service in another case', async () => {
    const { client } = await newMember(service())
    for (const field of ['Token', 'USERID', 'impersonatedby', 'activeOrganizationID', 'constructor', 'toString']) {
      const { status, body } = await client.post('/api/auth/update-session', { [field]: 'forged' })
      assert.deepEqual([status, body.code, body.field], [400, 'FIELD_NOT_ALLOWED', field])
    }
  })

  test('update-session sets only an organization of the user as active', async () => {
    const { client, organization } = await newMember(service())
    const foreign = (await administratorWithOrganization(service())).organization
    const refused = await client.post('/api/auth/update-session', { activeOrganizationId: foreign.id })
    assert.deepEqual([refused.status, refused.body.code], [404, 'ORGANIZATION_NOT_FOUND'])
    assert.equal((await client.post('/api/auth/update-session', { activeOrganizationId: 7 })).status, 404)
    assert.equal(
      (await client.post('/api/auth/update-session', { activeOrganizationId: null })).body.session.activeOrganizationId,
      null,
    )
    const set = await client.post('/api/auth/update-session', { activeOrganizationId: organization.id })
    assert.equal(set.body.session.activeOrganizationId, organization.id)
  })

  test('update-session loses no property with twenty concurrent requests', async () => {
    const { client } = await newMember(service())
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => client.post('/api/auth/update-session', { [`key${index}`]: index })),
    )
    const { session } = (await client.get('/api/auth/get-session')).body
    for (let index = 0; index < 20; index += 1) assert.equal(session[`key${index}`], index)
  })

  test('A concurrent extension does not restore a revoked session', async (t) => {
    const { client, token, id } = await newMember(service())
    service().advance(DAY)
    const signOut = {
      matching: /from "sessions" inner join "users"/,
      step: () => client.post('/api/auth/sign-out'),
    }
    const { body } = await afterStatement(t, service(), signOut, () => get(token))
    assert.equal(body.user.id, id, 'the request has found the session before')
    assert.equal((await get(token)).body, null)
  })

  test('A session that is revoked in one process is refused in another by the next request', async (t) => {
    const other = await startService({ engine: service().engine, beside: service() })
    t.after(() => other.stop())
    const { client, token } = await administrator(service())
    const ask = () => other.client().get('/api/auth/get-session', { headers: { authorization: `Bearer ${token}` } })
    // At the first use of a cached session, the process does not know yet which rows have changed, so it empties the cache.
    for (let count = 0; count < 3; count += 1) assert.notEqual((await ask()).body, null)
    await client.post('/api/auth/sign-out')
    assert.equal((await ask()).body, null)
  })
})
