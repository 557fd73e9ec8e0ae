import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { SignJWT } from 'jose'
import { createSigningKeys } from '../../server/features/tokens/signing-keys.ts'
import { newToken } from '../../server/platform/crypto/tokens.ts'
import { authorizationRequest, createTestApp, payloadOf, signInTo, type TestApp } from '../support/openid.ts'
import { askToken, basic, errorIn, newCodeForm, postForm, refusalOf } from '../support/protocol.ts'
import { onEachDatabase } from '../support/service.ts'
import { askUserinfo, exchange, introspect, refresh, revoke } from '../support/token-requests.ts'
import { administrator, administratorWithOrganization, newMember, type TestMember } from '../support/users.ts'

const INTROSPECT = '/api/auth/oauth2/introspect'
const JWT_TYPE = 'urn:ietf:params:oauth:token-type:jwt'
/** Of tokens that the previous version exchanged. */
const SCOPE = 'openid email organization'
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

onEachDatabase('Tokens', (service) => {
  /** Every endpoint that takes an access token refuses this one. */
  async function assertRefused(app: TestApp, token: string, name: string): Promise<void> {
    assert.equal((await askUserinfo(service(), token)).status, 401, name)
    assert.deepEqual((await introspect(service(), app, token)).body, { active: false }, name)
    assert.equal((await exchange(service(), app, token)).body.error, 'invalid_request', name)
  }

  async function sign(claims: object, typ: string): Promise<string> {
    const { kid, privateKey } = await createSigningKeys(service().context).current()
    return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'RS256', kid, typ }).sign(privateKey)
  }

  /** A token of `/api/token`, and what the previous version made of it in an exchange: a token without a grant. */
  async function tokensWithoutGrant({ client, organization }: TestMember, app: TestApp) {
    const jwt = (await client.get(`/api/token?org=${organization.slug}`)).body.token
    const changed = { jti: newToken(service().context), client_id: app.id, scope: SCOPE, act: { sub: app.id } }
    return { jwt, withoutGrant: await sign({ ...payloadOf(jwt), ...changed }, 'at+jwt') }
  }

  test('An access token with another algorithm, key or content is refused everywhere', async () => {
    const app = await createTestApp(service())
    const { access_token: token } = await signInTo(await newMember(service()), app)
    const [header = '', payload = '', signature = ''] = token.split('.')
    const fields = JSON.parse(Buffer.from(header, 'base64url').toString())
    const { keys } = (await service().client().get('/api/auth/jwks')).body
    const hmac = (input: string, key: string) => createHmac('sha256', key).update(input).digest('base64url')
    const hs256 = `${encode({ ...fields, alg: 'HS256' })}.${payload}`
    const admin = encode({ ...payloadOf(token), is_staff: true })
    const forged = {
      'alg none': `${encode({ ...fields, alg: 'none' })}.${payload}.`,
      'alg None': `${encode({ ...fields, alg: 'None' })}.${payload}.${signature}`,
      'alg HS256 with the public key': `${hs256}.${hmac(hs256, JSON.stringify(keys[0]))}`,
      'alg ES256': `${encode({ ...fields, alg: 'ES256' })}.${payload}.${signature}`,
      'kid path': `${encode({ ...fields, kid: '../../../../dev/null' })}.${payload}.${signature}`,
      'own jwk': `${encode({ ...fields, kid: undefined, jwk: keys[0], jku: 'https://evil.example' })}.${payload}.${signature}`,
      'other payload': `${header}.${admin}.${signature}`,
      'no signature': `${header}.${payload}.`,
      'half of the signature': `${header}.${payload}.${signature.slice(0, 170)}`,
    }
    for (const [name, jwt] of Object.entries(forged)) {
      await assertRefused(app, jwt, name)
      await assertRefused(app, jwt.replaceAll('.', '~'), `${name}, disguised`)
    }
  })

  test('A JWT of the signing key with another type, issuer, audience or key of the client is refused', async () => {
    const app = await createTestApp(service())
    const claims = payloadOf((await signInTo(await newMember(service()), app)).access_token)
    const signChanged = (change: object, typ = 'at+jwt') => sign({ ...claims, ...change }, typ)
    assert.equal((await introspect(service(), app, await signChanged({}))).body.active, true)
    await assertRefused(app, await signChanged({}, 'logout+jwt'), 'type')
    await assertRefused(app, await signChanged({ iss: 'https://other.example.com' }), 'issuer')
    for (const change of [{ aud: app.id }, { cnf: { jkt: 'key' } }])
      assert.equal((await exchange(service(), app, await signChanged(change))).body.error, 'invalid_request')
  })

  test('GHSA-965c-763c-88jm: an ID token, a token of /api/token, a code or a refresh token is no access token', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const tokens = await signInTo(user, app)
    const { body } = await user.client.get(`/api/token?org=${user.organization.slug}`)
    const { code = '' } = await newCodeForm(user, app)
    await assertRefused(app, tokens.id_token ?? '', 'ID token')
    await assertRefused(app, code, 'code')
    for (const other of [body.token, tokens.refresh_token, user.token])
      assert.equal((await askUserinfo(service(), other)).status, 401)
    assert.deepEqual((await introspect(service(), app, body.token)).body, { active: false })
    assert.deepEqual((await introspect(service(), app, user.token)).body, { active: false })
    const machine = (await askToken(service(), app, { grant_type: 'client_credentials' })).body.access_token
    assert.equal((await askUserinfo(service(), machine)).status, 401)
    for (const type of [JWT_TYPE, 'urn:ietf:params:oauth:token-type:access_token'])
      for (const subject of [tokens.id_token ?? '', tokens.refresh_token ?? '', code, machine]) {
        const refused = await exchange(service(), app, subject, {
          subject_token_type: type,
          organization: user.organization.slug,
        })
        assert.equal(refused.body.error, 'invalid_request')
      }
  })

  test('Tokens, codes and secrets of OpenID Connect authenticate no request to our own API', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const tokens = await signInTo(user, app)
    const { code = '' } = await newCodeForm(user, app)
    const { slug } = user.organization
    for (const value of [
      tokens.access_token,
      tokens.id_token,
      tokens.refresh_token,
      code,
      app.secret,
      tokens.access_token.replaceAll('.', '~'),
    ]) {
      const client = service().client()
      const bearer = { headers: { authorization: `Bearer ${value}` } }
      assert.equal((await client.get('/api/auth/get-session', bearer)).body, null)
      assert.equal((await client.get(`/api/token?org=${slug}`, bearer)).status, 401)
      assert.equal((await client.get(`/api/token?org=${slug}`, { headers: { 'x-api-key': value ?? '' } })).status, 401)
      client.cookies.set('session', value ?? '')
      assert.equal((await client.get('/api/auth/get-session')).body, null)
    }
    const client = service().client()
    const { id } = await service()
      .context.database.selectFrom('sessions')
      .select('id')
      .where('userId', '=', user.id)
      .executeTakeFirstOrThrow()
    for (const name of ['session', 'openid-session']) client.cookies.set(name, id)
    assert.equal((await client.get('/api/auth/get-session')).body, null)
    const { path } = await authorizationRequest(app, { prompt: 'none' })
    assert.equal(errorIn(await client.get(path)), 'login_required')
  })

  test('CVE-2022-1245: a public client exchanges nothing, and that of an organization only tokens of its organization', async () => {
    const [user, stranger] = [await newMember(service()), await newMember(service())]
    const app = await createTestApp(service())
    const { access_token: token } = await signInTo(user, app)
    const publicApp = await createTestApp(service(), { token_endpoint_auth_method: 'none' })
    const grant = {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: token,
      subject_token_type: JWT_TYPE,
    }
    const refused = await postForm(service(), '/api/auth/oauth2/token', { ...grant, client_id: publicApp.id })
    assert.deepEqual([refused.status, refused.body.error], [400, 'unauthorized_client'])
    const foreign = await createTestApp(service(), {}, { organizationId: stranger.organization.id, skipConsent: 0 })
    const { slug } = user.organization
    for (const subject of [token, user.token, (await user.client.get(`/api/token?org=${slug}`)).body.token])
      for (const organization of [slug, stranger.organization.slug, undefined]) {
        const more = organization === undefined ? {} : { organization }
        assert.equal((await exchange(service(), foreign, subject, more)).body.error, 'invalid_request')
      }
    const wider = await exchange(service(), app, token, { scope: 'openid admin' })
    assert.equal(wider.body.error, 'invalid_scope')
    for (const resource of [
      'api',
      'https://',
      'https://user@api.example.com',
      'http://api.example.com',
      'https://api.example.com#x',
    ])
      assert.equal((await exchange(service(), app, token, { resource })).body.error, 'invalid_target', resource)
  })

  test('RFC 9449: a client whose tokens must be bound to a key exchanges none', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const bound = await createTestApp(service(), { dpop_bound_access_tokens: true })
    const { access_token: token } = await signInTo(user, app)
    assert.equal((await exchange(service(), bound, token)).body.error, 'unauthorized_client')
  })

  test("CVE-2020-15223: a token of any kind is inactive after its client revokes it, and other clients can't revoke it", async () => {
    const user = await newMember(service())
    const [app, other] = [await createTestApp(service()), await createTestApp(service())]
    const { jwt, withoutGrant } = await tokensWithoutGrant(user, app)
    const { access_token: own } = await signInTo(user, app)
    const machine = (await askToken(service(), app, { grant_type: 'client_credentials' })).body.access_token
    const exchanged = (await exchange(service(), app, jwt)).body.access_token
    for (const token of [own, machine, exchanged, withoutGrant]) {
      const { status, body } = await revoke(service(), other, token)
      assert.deepEqual([status, body.error], [400, 'invalid_grant'])
      assert.equal(body.error_description, 'the token belongs to another client')
      assert.equal((await postForm(service(), '/api/auth/oauth2/revoke', { token })).status, 401)
      assert.equal((await introspect(service(), app, token)).body.active, true)
      assert.equal((await revoke(service(), app, token)).status, 200)
      assert.deepEqual((await introspect(service(), app, token)).body, { active: false })
      assert.deepEqual((await introspect(service(), other, token)).body, { active: false })
      assert.equal((await exchange(service(), other, token)).body.error, 'invalid_request')
    }
  })

  test('Introspection and revocation take a token whose characters are percent-encoded, and refuse one that is repeated', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const { access_token: token } = await signInTo(user, app)
    const post = async (endpoint: string, rawBody: string) => {
      const headers = { ...basic(app), 'content-type': 'application/x-www-form-urlencoded' }
      return service().client().post(`/api/auth/oauth2/${endpoint}`, undefined, { rawBody, headers })
    }
    const encoded = `%74oken=${token.replaceAll('.', '%2E')}&token_type_hint=access_token`
    assert.equal((await post('introspect', encoded)).body.active, true)
    const twice = await post('introspect', `${encoded}&token=${token}`)
    assert.deepEqual([twice.status, twice.body.error], [400, 'invalid_request'])
    assert.equal((await post('revoke', encoded)).status, 200)
    assert.deepEqual((await introspect(service(), app, token)).body, { active: false })
  })

  test('CVE-2023-0091: a token with or without a grant ends with its client, its user, its session and the membership', async () => {
    const admin = await administrator(service())
    const { database } = service().context
    const other = await createTestApp(service())
    interface Ended {
      app: TestApp
      user: TestMember
    }
    const ends = {
      'client disabled': ({ app }: Ended) =>
        database.updateTable('oauthClients').set({ disabled: 1 }).where('id', '=', app.id).execute(),
      'client deleted': ({ app }: Ended) => database.deleteFrom('oauthClients').where('id', '=', app.id).execute(),
      'user banned': ({ user }: Ended) => admin.client.post('/api/auth/admin/ban-user', { userId: user.id }),
      'session revoked': ({ user }: Ended) => user.client.post('/api/auth/sign-out'),
      'email address not verified': ({ user }: Ended) =>
        database.updateTable('users').set({ emailVerified: 0 }).where('id', '=', user.id).execute(),
      'member removed': ({ user }: Ended) => database.deleteFrom('members').where('userId', '=', user.id).execute(),
      'two-step verification required': ({ user: { organization } }: Ended) =>
        database.updateTable('organizations').set({ requireTwoFactor: 1 }).where('id', '=', organization.id).execute(),
    }
    for (const [name, end] of Object.entries(ends)) {
      const user = await newMember(service())
      const app = await createTestApp(service())
      const { jwt, withoutGrant } = await tokensWithoutGrant(user, app)
      const exchanged = (await exchange(service(), app, jwt)).body.access_token
      const machine = (await askToken(service(), app, { grant_type: 'client_credentials' })).body.access_token
      const isActive = async (token: string) => {
        const { status, body } = await introspect(service(), other, token)
        assert.equal(status, 200, name)
        if (body.active !== true) assert.deepEqual(body, { active: false }, name)
        return body.active
      }
      const states = () => Promise.all([exchanged, withoutGrant, machine].map(isActive))
      assert.deepEqual(await states(), [true, true, true])
      await end({ app, user })
      const isEndOfClient = name.startsWith('client')
      assert.deepEqual(await states(), [false, false, !isEndOfClient], name)
      // The token of /api/token has no client.
      for (const subject of isEndOfClient ? [exchanged, withoutGrant] : [exchanged, withoutGrant, jwt])
        for (const scope of ['openid', 'openid organization']) {
          const { body } = await exchange(service(), other, subject, { scope })
          assert.equal(body.error, 'invalid_request', `${name} ${scope}`)
        }
    }
  })

  test('A token that the previous version made or exchanged stays valid, with its scopes only', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const { jwt, withoutGrant } = await tokensWithoutGrant(user, app)
    const { active, scope, org_id, act } = (await introspect(service(), app, withoutGrant)).body
    assert.deepEqual([active, scope, org_id, act], [true, SCOPE, user.organization.id, { sub: app.id }])
    assert.equal((await exchange(service(), app, withoutGrant)).body.scope, SCOPE)
    assert.equal((await exchange(service(), app, withoutGrant, { scope: 'profile' })).body.error, 'invalid_scope')
    const withoutSession = await sign({ ...payloadOf(jwt), jti: newToken(service().context) }, 'JWT')
    assert.equal((await exchange(service(), app, withoutSession)).body.scope, 'openid profile email organization')
  })

  test('Introspection refuses a public client with 401 invalid_client, also for its own tokens', async () => {
    const user = await newMember(service())
    const publicApp = await createTestApp(service(), { token_endpoint_auth_method: 'none' })
    const app = await createTestApp(service())
    const [own, others] = [await signInTo(user, publicApp), await signInTo(user, app)]
    const client = { client_id: publicApp.id }
    const { access_token: token, refresh_token = '' } = own
    for (const form of [
      { token },
      { token: refresh_token },
      { token: others.access_token },
      { token: 'unknown' },
      {},
    ]) {
      const answer = await postForm(service(), INTROSPECT, { ...form, ...client })
      assert.deepEqual(refusalOf(answer), [401, 'invalid_client'])
      assert.match(answer.body.error_description, /only a client with a secret or a key/)
      assert.equal(answer.headers.get('www-authenticate'), null)
    }
    assert.equal((await introspect(service(), app, token)).body.active, true)
    const revoked = await postForm(service(), '/api/auth/oauth2/revoke', { token: refresh_token, ...client })
    assert.equal(revoked.status, 200)
    assert.deepEqual((await introspect(service(), app, token)).body, { active: false })
  })

  test('The audit event of an introspection that a public client is refused names the client', async () => {
    const founder = await administratorWithOrganization(service())
    const metadata = { token_endpoint_auth_method: 'none', client_name: 'Open' } as const
    const { id } = await createTestApp(service(), metadata, { organizationId: founder.organization.id })
    await postForm(service(), INTROSPECT, { token: 'unknown', client_id: id })
    await service().context.repeatedEvents.save()
    const path = `/api/auth/organization/list-audit-events?organizationId=${founder.organization.id}`
    const [event] = (await founder.client.get(`${path}&action=access.refused`)).body.events
    assert.deepEqual([event.details.clientId, event.details.name, event.details.route], [id, 'Open', INTROSPECT])
  })

  test('Introspection tells no client of the refresh tokens of others', async () => {
    const user = await newMember(service())
    const [app, other] = [await createTestApp(service()), await createTestApp(service())]
    const tokens = await signInTo(user, app)
    for (const token of [tokens.access_token, tokens.refresh_token ?? '']) {
      const anonymous = await postForm(service(), INTROSPECT, { token })
      assert.equal(anonymous.body.error, 'invalid_client')
    }
    assert.deepEqual((await introspect(service(), other, tokens.refresh_token ?? '')).body, { active: false })
    assert.equal((await refresh(service(), app, tokens.refresh_token ?? '')).status, 200)
  })
})
