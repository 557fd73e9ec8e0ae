import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { tokenIntrospection } from 'openid-client'
import { createTestApp, payloadOf, signInTo, type TestApp } from '../support/openid.ts'
import { askToken, basic, postForm, refusalOf } from '../support/protocol.ts'
import { onEachDatabase, type Service, startService } from '../support/service.ts'
import { exchange as exchangeAt, refresh } from '../support/token-requests.ts'
import {
  administrator,
  administratorWithOrganization,
  member,
  newMember,
  sessionOf,
  type TestMember,
  type TestUser,
} from '../support/users.ts'

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ADDRESS = 'https://api.example.com/orders'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'
const JWT = 'urn:ietf:params:oauth:token-type:jwt'
/** The changes that a user may make in a minute. */
const LIMIT = 3

describe('Token exchange', () => {
  let service: Service
  let founder: TestMember
  let user: TestMember
  /** The client that the user signed in to, and a service behind it. */
  let app: TestApp
  let back: TestApp
  before(async () => {
    service = await startService({ engine: 'sqlite' })
    founder = await administratorWithOrganization(service)
    user = await member(service, founder)
    app = await createTestApp(service)
    back = await createTestApp(service)
  })
  after(() => service.stop())

  const exchange = (subject_token: string, more: Record<string, string> = {}, client: TestApp = back) =>
    exchangeAt(service, client, subject_token, more)
  /** A request with two values of a parameter. */
  const exchangeRepeated = (subject_token: string, name: string, value: string) => {
    const form = { grant_type: GRANT_TYPE, subject_token, subject_token_type: ACCESS_TOKEN }
    const repeated = new URLSearchParams({ ...form, [name]: value })
    repeated.append(name, `${value}2`)
    return postForm(service, '/api/auth/oauth2/token', repeated, basic(back))
  }
  const ofSession = (more = {}) => ({ organization: user.organization.slug, ...more })

  test('An access token becomes one for another service, with the actor, and without a refresh token', async () => {
    const { access_token } = await signInTo(user, app)
    const { status, body } = await exchange(access_token, { resource: 'https://other.example.com' })
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body).sort(), [
      'access_token',
      'expires_in',
      'issued_token_type',
      'scope',
      'token_type',
    ])
    assert.deepEqual([body.issued_token_type, body.token_type], [ACCESS_TOKEN, 'Bearer'])
    const { sub, aud, act, client_id, org_id, org_role, amr } = payloadOf(body.access_token)
    assert.deepEqual([sub, client_id, act], [user.id, back.id, { sub: back.id }])
    assert.deepEqual(
      [aud, org_id, org_role],
      [['https://other.example.com', 'accounts-services'], user.organization.id, 'member'],
    )
    assert.deepEqual(amr, ['pwd'])
  })

  test('act names each service on the way, the last one outermost', async () => {
    const last = await createTestApp(service)
    const { body: first } = await exchange((await signInTo(user, app)).access_token)
    const { body: second } = await exchange(first.access_token, {}, last)
    assert.deepEqual(payloadOf(second.access_token).act, { sub: last.id, act: { sub: back.id } })
  })

  test('A token with ten actors, one of each exchange, is refused with invalid_request', async () => {
    let token = (await signInTo(user, app)).access_token
    for (let count = 0; count < 10; count += 1) token = (await exchange(token)).body.access_token
    assert.equal((await tokenIntrospection(back.config, token)).active, true)
    assert.deepEqual(refusalOf(await exchange(token)), [400, 'invalid_request'])
  })

  test('A session is a subject with an organization of its user, and a token of /api/token without', async () => {
    const { body } = await exchange(user.token, ofSession())
    assert.deepEqual(
      [payloadOf(body.access_token).sub, payloadOf(body.access_token).org_slug],
      [user.id, user.organization.slug],
    )
    const { token } = (await user.client.get(`/api/token?org=${user.organization.slug}`)).body
    const { body: ofToken } = await exchange(token, { subject_token_type: JWT })
    assert.deepEqual(
      [payloadOf(ofToken.access_token).sub, payloadOf(ofToken.access_token).org_role],
      [user.id, 'member'],
    )
  })

  test('The new token ends with the subject: after its end, and with the session', async () => {
    const someone = await member(service, founder)
    const { access_token } = await signInTo(someone, app)
    service.advance(600_000)
    const { body } = await exchange(access_token)
    assert.ok(body.expires_in <= 300)
    assert.ok(Number(payloadOf(body.access_token).exp) <= Number(payloadOf(access_token).exp))
    const { body: ofSessionToken } = await exchange(someone.token, ofSession())
    await someone.client.post('/api/auth/sign-out')
    for (const token of [body.access_token, ofSessionToken.access_token])
      assert.deepEqual(await tokenIntrospection(back.config, token), { active: false })
    assert.deepEqual(refusalOf(await exchange(access_token)), [400, 'invalid_request'])
  })

  test('An exchange gives no scope that the subject or the client lacks', async () => {
    const { access_token } = await signInTo(user, app, { scope: 'openid email' })
    assert.deepEqual(refusalOf(await exchange(access_token, { scope: 'openid profile' })), [400, 'invalid_scope'])
    assert.deepEqual(refusalOf(await exchange(access_token, { scope: 'offline_access' })), [400, 'invalid_scope'])
    const { body } = await exchange(access_token, { scope: 'email' })
    assert.equal(body.scope, 'email')
    assert.equal(payloadOf(body.access_token).org_id, undefined)
    const small = await createTestApp(service, { scope: 'openid email offline_access' })
    const tiny = await createTestApp(service, { scope: 'profile' })
    for (const more of [{ scope: 'email' }, {}])
      assert.deepEqual(refusalOf(await exchange(access_token, more, tiny)), [400, 'invalid_scope'])
    const { access_token: wide, scope } = await signInTo(user, app, { prompt: 'consent' })
    assert.match(scope ?? '', /offline_access/)
    assert.equal((await exchange(wide, {}, small)).body.scope, 'openid email')
    const { token } = (await user.client.get(`/api/token?org=${user.organization.slug}`)).body
    const { body: narrow } = await exchange(token, { scope: 'email' })
    assert.deepEqual(refusalOf(await exchange(narrow.access_token, { scope: 'organization' })), [400, 'invalid_scope'])
    assert.equal((await exchange(narrow.access_token)).body.scope, 'email')
  })

  test('An exchanged token loses the scopes that the client of its subject loses, also on a longer way', async () => {
    const small = await createTestApp(service)
    const { access_token } = await signInTo(user, small)
    const { body: first } = await exchange(access_token)
    const { body: second } = await exchange(first.access_token)
    const scopesOf = async () => {
      const tokens = [first.access_token, second.access_token]
      const introspected = await Promise.all(tokens.map((token) => tokenIntrospection(back.config, token)))
      const exchanged = await Promise.all(tokens.map((token) => exchange(token)))
      return [...introspected.map(({ scope }) => scope), ...exchanged.map(({ body }) => body.scope)]
    }
    const all = 'openid profile email organization'
    assert.deepEqual(await scopesOf(), [all, all, all, all])
    const change = { client_id: small.id, update: { scope: 'openid offline_access' } }
    assert.equal((await founder.client.post('/api/auth/oauth2/update-client', change)).status, 200)
    assert.deepEqual(await scopesOf(), ['openid', 'openid', 'openid', 'openid'])
    const { email, org_id } = await tokenIntrospection(back.config, second.access_token)
    assert.deepEqual([email, org_id], [undefined, undefined])
    const bearer = { authorization: `Bearer ${second.access_token}` }
    const { body: claims } = await postForm(service, '/api/auth/oauth2/userinfo', {}, bearer)
    assert.deepEqual([claims.sub, claims.email, claims.org_id], [user.id, undefined, undefined])
  })

  test('A session that lacks a verified email address or a second step, or ends within a second, is no subject', async () => {
    const { database } = service.context
    const someone = await newMember(service)
    const ofOrganization = { organization: someone.organization.slug }
    assert.equal((await exchange(someone.token, ofOrganization)).status, 200)
    const setVerified = (emailVerified: number) =>
      database.updateTable('users').set({ emailVerified }).where('id', '=', someone.id).execute()
    await setVerified(0)
    assert.deepEqual(refusalOf(await exchange(someone.token, ofOrganization)), [400, 'invalid_request'])
    await setVerified(1)
    const { id } = someone.organization
    await database.updateTable('organizations').set({ requireTwoFactor: 1 }).where('id', '=', id).execute()
    assert.deepEqual(refusalOf(await exchange(someone.token, ofOrganization)), [400, 'invalid_request'])
    await database.updateTable('organizations').set({ requireTwoFactor: 0 }).where('id', '=', id).execute()
    const expiresAt = service.context.now() + 900
    await database.updateTable('sessions').set({ expiresAt }).where('userId', '=', someone.id).execute()
    assert.deepEqual(refusalOf(await exchange(someone.token, ofOrganization)), [400, 'invalid_request'])
  })

  test('A token that is not of a user is no subject', async () => {
    const { id_token = '', access_token, refresh_token = '' } = await signInTo(user, app)
    const { body: machine } = await askToken(service, app, { grant_type: 'client_credentials' })
    const [header, , signature] = access_token.split('.')
    const forged = [
      header,
      Buffer.from(JSON.stringify({ ...payloadOf(access_token), sub: founder.id })).toString('base64url'),
      signature,
    ].join('.')
    const noSubjects = [id_token, refresh_token, machine.access_token, forged, 'unknown', '', '..', 'a.b.c']
    for (const token of noSubjects) assert.deepEqual(refusalOf(await exchange(token)), [400, 'invalid_request'], token)
    assert.deepEqual(refusalOf(await exchange(user.token)), [400, 'invalid_request'])
    assert.deepEqual(refusalOf(await exchange(user.token, { organization: 'no-such' })), [400, 'invalid_request'])
  })

  test('A request with a wrong type, actor, resource or organization is refused with a sentence', async () => {
    const { access_token } = await signInTo(user, app)
    const refused: [Record<string, string>, string][] = [
      [{ subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' }, 'invalid_request'],
      [{ subject_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' }, 'invalid_request'],
      [{ subject_token_type: '' }, 'invalid_request'],
      [{ requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' }, 'invalid_request'],
      [{ actor_token: access_token, actor_token_type: ACCESS_TOKEN }, 'invalid_request'],
      [{ resource: 'http://api.example.com' }, 'invalid_target'],
      [{ resource: 'api' }, 'invalid_target'],
      [{ audience: 'another service' }, 'invalid_target'],
      [{ organization: 'another' }, 'invalid_request'],
    ]
    for (const [more, error] of refused)
      assert.deepEqual(refusalOf(await exchange(access_token, more)), [400, error], JSON.stringify(more))
  })

  test('An exchange for several resources or audiences is refused with invalid_target, and another repeated parameter with invalid_request', async () => {
    const { access_token } = await signInTo(user, app)
    for (const [name, value, error] of [
      ['resource', ADDRESS, 'invalid_target'],
      ['audience', 'another service', 'invalid_target'],
      ['scope', 'openid', 'invalid_request'],
    ] as const)
      assert.deepEqual(refusalOf(await exchangeRepeated(access_token, name, value)), [400, error], name)
  })

  test('An exchange that is refused for its resource stores neither a grant, nor a session at the client, nor an event', async () => {
    const someone = await member(service, founder)
    const { database } = service.context
    const count = async () => {
      const grants = await database.selectFrom('oauthGrants').select('id').where('userId', '=', someone.id).execute()
      const sessions = database.selectFrom('clientSessions').select('sid').where('userId', '=', someone.id)
      const events = database.selectFrom('auditEvents').select('id').where('subjectId', '=', someone.id)
      return [grants.length, (await sessions.execute()).length, (await events.execute()).length]
    }
    const { access_token } = await signInTo(someone, app)
    const before = await count()
    for (const resource of ['http://api.example.com', 'api'])
      assert.deepEqual(refusalOf(await exchange(access_token, { resource })), [400, 'invalid_target'], resource)
    assert.deepEqual(refusalOf(await exchangeRepeated(access_token, 'resource', ADDRESS)), [400, 'invalid_target'])
    assert.deepEqual(await count(), before)
  })

  test('RFC 9449: an exchange with a DPoP proof is refused, because its token would not be bound to the key', async () => {
    const { access_token: subject_token } = await signInTo(user, app)
    const form = { grant_type: GRANT_TYPE, subject_token, subject_token_type: ACCESS_TOKEN }
    const answer = await postForm(service, '/api/auth/oauth2/token', form, { ...basic(app), dpop: 'a.b.c' })
    assert.deepEqual(refusalOf(answer), [400, 'invalid_request'])
    assert.match(answer.body.error_description, /DPoP/)
  })

  test('Only a confidential client with this grant exchanges, and one of an organization only tokens of it', async () => {
    const { access_token } = await signInTo(user, app)
    const open = await createTestApp(service, { token_endpoint_auth_method: 'none' })
    const form = {
      grant_type: GRANT_TYPE,
      subject_token: access_token,
      subject_token_type: ACCESS_TOKEN,
      client_id: open.id,
    }
    assert.deepEqual(refusalOf(await postForm(service, '/api/auth/oauth2/token', form)), [400, 'unauthorized_client'])
    const other = await createTestApp(service, { grant_types: ['authorization_code'] })
    assert.deepEqual(refusalOf(await exchange(access_token, {}, other)), [400, 'unauthorized_client'])
    const foreign = await createTestApp(
      service,
      {},
      { organizationId: (await administratorWithOrganization(service)).organization.id },
    )
    assert.deepEqual(refusalOf(await exchange(access_token, {}, foreign)), [400, 'invalid_request'])
    const own = await createTestApp(service, {}, { organizationId: user.organization.id })
    assert.equal((await exchange(access_token, {}, own)).status, 200)
    const ofNoOrganization = (await signInTo(user, app, { scope: 'openid profile' })).access_token
    assert.deepEqual(refusalOf(await exchange(ofNoOrganization, {}, own)), [400, 'invalid_request'])
  })

  test('A ban ends the subject with the next request, also a token of /api/token', async () => {
    const someone = await member(service, founder)
    const { access_token } = await signInTo(someone, app)
    const { token } = (await someone.client.get(`/api/token?org=${someone.organization.slug}`)).body
    const admin = await administrator(service)
    await admin.client.post('/api/auth/admin/ban-user', { userId: someone.id })
    assert.deepEqual(refusalOf(await exchange(access_token)), [400, 'invalid_request'])
    assert.deepEqual(refusalOf(await exchange(token, { subject_token_type: JWT })), [400, 'invalid_request'])
    assert.deepEqual(refusalOf(await exchange(someone.token, ofSession())), [400, 'invalid_request'])
  })

  test('A new token and introspection have the current roles: after a demotion, not those of the subject', async () => {
    const someone = await member(service, founder, 'owner')
    const setRole = (role: string) => founder.client.post('/api/auth/admin/set-role', { userId: someone.id, role })
    await setRole('support')
    const { access_token } = await signInTo(someone, app)
    const { token } = (await someone.client.get(`/api/token?org=${someone.organization.slug}`)).body
    const { body: earlier } = await exchange(token, { subject_token_type: JWT })
    const rolesIn = ({ org_role, is_staff }: Record<string, unknown>) => ({ org_role, is_staff })
    const before = { org_role: 'owner', is_staff: true }
    for (const one of [access_token, token, earlier.access_token]) assert.deepEqual(rolesIn(payloadOf(one)), before)

    const { body: own } = await someone.client.get('/api/auth/organization/get-active-member')
    const demotion = { memberId: own.id, role: 'member' }
    assert.equal((await founder.client.post('/api/auth/organization/update-member-role', demotion)).status, 200)
    assert.equal((await setRole('user')).status, 200)
    const now = { org_role: 'member', is_staff: false }
    for (const one of [access_token, token, earlier.access_token]) {
      const type = one === token ? { subject_token_type: JWT } : {}
      assert.deepEqual(rolesIn(payloadOf((await exchange(one, type)).body.access_token)), now)
    }
    for (const one of [access_token, earlier.access_token])
      assert.deepEqual(rolesIn(await tokenIntrospection(back.config, one)), now)
  })

  test('A token of /api/token is no subject after its session has ended, and what it became is not active', async () => {
    const someone = await member(service, founder)
    const { slug } = someone.organization
    const admin = await administrator(service)
    await admin.client.post('/api/auth/admin/impersonate-user', { userId: someone.id })
    const ends = [
      { by: someone, end: () => someone.client.post('/api/auth/sign-out') },
      { by: admin, end: () => admin.client.post('/api/auth/admin/stop-impersonating') },
    ]
    for (const { by, end } of ends) {
      const { token } = (await by.client.get(`/api/token?org=${slug}`)).body
      const { body } = await exchange(token, { subject_token_type: JWT })
      assert.equal(payloadOf(body.access_token).sub, someone.id)
      assert.equal((await tokenIntrospection(back.config, body.access_token)).active, true)
      assert.equal((await end()).status, 200)
      assert.deepEqual(refusalOf(await exchange(token, { subject_token_type: JWT })), [400, 'invalid_request'])
      assert.deepEqual(await tokenIntrospection(back.config, body.access_token), { active: false })
    }
  })

  test('The audit log names the impersonator of an exchange, for every kind of subject', async () => {
    const someone = await member(service, founder)
    const { slug } = someone.organization
    const admin = await administrator(service)
    const { body } = await admin.client.post('/api/auth/admin/impersonate-user', { userId: someone.id })
    const { access_token } = await signInTo({ ...someone, client: admin.client }, app)
    const { token } = (await admin.client.get(`/api/token?org=${slug}`)).body
    await exchange(access_token)
    await exchange(token, { subject_token_type: JWT })
    await exchange(body.session.token, { organization: slug })
    const events = service.context.database
      .selectFrom('auditEvents')
      .select(['actorId', 'impersonatedBy'])
      .where('action', '=', 'oauth-token.exchanged')
      .where('subjectId', '=', someone.id)
    const byAdmin = { actorId: someone.id, impersonatedBy: admin.id }
    const recorded = (await events.execute()).map((event) => ({ ...event }))
    assert.deepEqual(recorded, [byAdmin, byAdmin, byAdmin])
  })

  /** A user with a session, and an administrator who began to impersonate the user in the same millisecond. */
  async function withSimultaneousSessions() {
    const someone = await member(service, founder)
    const admin = await administrator(service)
    await admin.client.post('/api/auth/admin/impersonate-user', { userId: someone.id })
    const createdAt = service.context.now()
    const sessions = service.context.database
      .updateTable('sessions')
      .set({ createdAt })
      .where('userId', '=', someone.id)
    assert.equal((await sessions.executeTakeFirst()).numUpdatedRows, 2n)
    const tokenOf = async ({ client }: TestUser) =>
      (await client.get(`/api/token?org=${someone.organization.slug}`)).body.token
    return { someone, admin, tokenOf }
  }

  test('A token of /api/token is no subject after sign-out, although an impersonation began in the same second', async () => {
    const { someone, admin, tokenOf } = await withSimultaneousSessions()
    const token = await tokenOf(someone)
    const { body } = await exchange(token, { subject_token_type: JWT })
    await someone.client.post('/api/auth/sign-out')
    assert.deepEqual(refusalOf(await exchange(token, { subject_token_type: JWT })), [400, 'invalid_request'])
    assert.deepEqual(await tokenIntrospection(back.config, body.access_token), { active: false })
    assert.equal((await exchange(await tokenOf(admin), { subject_token_type: JWT })).status, 200)
  })

  test('A token of an impersonation is no subject after its end, although a session of the user began in the same second', async () => {
    const { someone, admin, tokenOf } = await withSimultaneousSessions()
    const token = await tokenOf(admin)
    const { body } = await exchange(token, { subject_token_type: JWT })
    await admin.client.post('/api/auth/admin/stop-impersonating')
    assert.deepEqual(refusalOf(await exchange(token, { subject_token_type: JWT })), [400, 'invalid_request'])
    assert.deepEqual(await tokenIntrospection(back.config, body.access_token), { active: false })
    assert.equal((await exchange(await tokenOf(someone), { subject_token_type: JWT })).status, 200)
  })

  test('A token of /api/token is no subject after sign-out, although another session of the user began in the same second', async () => {
    const someone = await member(service, founder)
    const other = await sessionOf(service, someone)
    const createdAt = service.context.now()
    const sessions = service.context.database.updateTable('sessions').set({ createdAt })
    await sessions.where('userId', '=', someone.id).execute()
    const tokenOf = async ({ client }: TestUser) =>
      (await client.get(`/api/token?org=${someone.organization.slug}`)).body.token
    const [token, tokenOfOther] = [await tokenOf(someone), await tokenOf(other)]
    const { body } = await exchange(token, { subject_token_type: JWT })
    await someone.client.post('/api/auth/sign-out')
    assert.deepEqual(refusalOf(await exchange(token, { subject_token_type: JWT })), [400, 'invalid_request'])
    assert.deepEqual(await tokenIntrospection(back.config, body.access_token), { active: false })
    assert.equal((await exchange(tokenOfOther, { subject_token_type: JWT })).status, 200)
  })

  test('A token of /api/token is no subject while the email address of its user is not verified', async () => {
    const someone = await member(service, founder)
    const { token } = (await someone.client.get(`/api/token?org=${someone.organization.slug}`)).body
    const setVerified = (emailVerified: number) =>
      service.context.database.updateTable('users').set({ emailVerified }).where('id', '=', someone.id).execute()
    await setVerified(0)
    assert.deepEqual(refusalOf(await exchange(token, { subject_token_type: JWT })), [400, 'invalid_request'])
    await setVerified(1)
    assert.equal((await exchange(token, { subject_token_type: JWT })).status, 200)
  })
})

onEachDatabase(
  'The limits of token exchanges and refreshes',
  (service) => {
    test('Exchanges count as changes of the user: beyond the limit they get 429 in the form of RFC 6749, and leave no event', async () => {
      const founder = await administratorWithOrganization(service())
      const [user, other] = [await member(service(), founder), await member(service(), founder)]
      const app = await createTestApp(service())
      const ask = ({ token }: TestUser) =>
        exchangeAt(service(), app, token, { organization: founder.organization.slug })
      const countEvents = async () => {
        const events = service().context.database.selectFrom('auditEvents').select('id')
        const exchanged = events.where('action', '=', 'oauth-token.exchanged').where('subjectId', '=', user.id)
        return (await exchanged.execute()).length
      }
      service().advance(60_000)
      for (let count = 0; count < LIMIT; count += 1) assert.equal((await ask(user)).status, 200)
      const refused = await ask(user)
      assert.deepEqual(refusalOf(refused), [429, 'temporarily_unavailable'])
      const seconds = Number(refused.headers.get('retry-after'))
      assert.ok(seconds > 0 && seconds <= 60, `${seconds} s`)
      assert.equal(await countEvents(), LIMIT)
      assert.equal((await ask(other)).status, 200)
      assert.equal((await askToken(service(), app, { grant_type: 'client_credentials' })).status, 200)
      service().advance(60_000)
      assert.equal((await ask(user)).status, 200)
    })

    test('Refreshes count for the user apart from changes: beyond the limit they get 429, and use no token up', async () => {
      const [user, other] = [await newMember(service()), await newMember(service())]
      const app = await createTestApp(service())
      let { refresh_token = '' } = await signInTo(user, app)
      const tokenOfOther = (await signInTo(other, app)).refresh_token ?? ''
      service().advance(60_000)
      for (let count = 0; count < LIMIT; count += 1) {
        const { status, body } = await refresh(service(), app, refresh_token)
        assert.equal(status, 200)
        refresh_token = body.refresh_token
      }
      const refused = await refresh(service(), app, refresh_token)
      assert.deepEqual(refusalOf(refused), [429, 'temporarily_unavailable'])
      const seconds = Number(refused.headers.get('retry-after'))
      assert.ok(seconds > 0 && seconds <= 60, `${seconds} s`)
      assert.equal((await user.client.post('/api/auth/update-user', { name: 'New' })).status, 200)
      assert.equal((await refresh(service(), app, tokenOfOther)).status, 200)
      service().advance(60_000)
      assert.equal((await refresh(service(), app, refresh_token)).status, 200)
    })
  },
  { USER_CHANGES_PER_MINUTE: String(LIMIT) },
)
