import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { OPERATOR } from '../../server/core/audit/actor.ts'
import { inTransaction } from '../../server/core/in-transaction.ts'
import { SCOPES } from '../../server/core/oauth-clients/scopes.ts'
import { deleteConsent, saveConsent } from '../../server/core/oauth-consents/store.ts'
import { deleteExpiredArtifacts } from '../../server/features/openid/adapters/store.ts'
import { rotateSigningKey } from '../../server/features/tokens/rotate-signing-key.ts'
import {
  authorizationRequest,
  codeIn,
  createTestApp,
  locationOf,
  payloadOf,
  signInTo,
  type TestApp,
} from '../support/openid.ts'
import { pngOf } from '../support/png.ts'
import { askToken, basic, codeForm, newCodeForm, postForm, refusalOf } from '../support/protocol.ts'
import { onEachDatabase } from '../support/service.ts'
import { exchange } from '../support/token-requests.ts'
import { administratorWithOrganization, member, newMember, type TestMember } from '../support/users.ts'

const OAUTH = '/api/auth/oauth2'
const REFUSED_GRANT = [400, 'invalid_grant']
const INACTIVE = { active: false }

onEachDatabase('Tokens', (service) => {
  let scene: Promise<{ user: TestMember; app: TestApp }> | undefined
  /** One user and one app for all tests, each of which has its own codes. */
  const open = () => {
    scene ??= administratorWithOrganization(service()).then(async (founder) => ({
      user: await member(service(), founder),
      app: await createTestApp(service()),
    }))
    return scene
  }
  const refreshForm = (refresh_token: string, more = {}) => ({ grant_type: 'refresh_token', refresh_token, ...more })
  const introspect = async (app: TestApp, token: string) =>
    (await postForm(service(), `${OAUTH}/introspect`, { token }, basic(app))).body
  const userinfoStatus = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(new URL(`${OAUTH}/userinfo`, service().baseUrl), { headers })).status
  }

  test('oidcc-userinfo-get, -post-header, -post-body: the token comes in a header or in a form, and not in the address', async () => {
    const { user, app } = await open()
    const { access_token } = await signInTo(user, app)
    const bearer = { authorization: `Bearer ${access_token}` }
    assert.equal(await userinfoStatus(access_token), 200)
    for (const answer of [
      await postForm(service(), `${OAUTH}/userinfo`, {}, bearer),
      await postForm(service(), `${OAUTH}/userinfo`, { access_token }),
    ])
      assert.deepEqual([answer.status, answer.body.sub, answer.body.email], [200, user.id, user.email])
    const inAddress = await user.client.get(`${OAUTH}/userinfo?access_token=${access_token}`, {
      headers: { origin: '' },
    })
    assert.deepEqual([inAddress.status, inAddress.body.error], [400, 'invalid_request'])
    const wrong = await postForm(service(), `${OAUTH}/userinfo`, {}, { authorization: 'Bearer wrong' })
    assert.deepEqual([wrong.status, wrong.body.error], [401, 'invalid_token'])
    assert.match(wrong.headers.get('www-authenticate') ?? '', /^Bearer .*error="invalid_token"/)
  })

  test('oidcc-server-client-secret-post: the secret comes in the form or in the header, and never in both', async () => {
    const { user, app } = await open()
    const posting = await createTestApp(service(), { token_endpoint_auth_method: 'client_secret_post' })
    const inForm = async (client: TestApp, client_secret = client.secret, headers = {}) => {
      const form = { ...(await newCodeForm(user, client)), client_id: client.id, client_secret }
      return postForm(service(), `${OAUTH}/token`, form, headers)
    }
    for (const client of [posting, app]) {
      assert.equal((await inForm(client)).status, 200)
      assert.equal((await askToken(service(), client, await newCodeForm(user, client))).status, 200)
      assert.deepEqual(refusalOf(await inForm(client, 'wrong')), [401, 'invalid_client'])
      assert.deepEqual(refusalOf(await inForm(client, client.secret, basic(client))), [400, 'invalid_request'])
    }
  })

  test('An Authorization header that authenticates no client gets 401 and a challenge (RFC 6749, section 5.2)', async () => {
    const { app } = await open()
    const encode = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
    for (const authorization of [
      ...['Basic', 'Basic !', 'Bearer wrong', 'Digest username="x"'],
      ...[encode('no colon'), encode(`${app.id}:`), encode(`${app.id}:%zz`), encode(`${app.id}:wrong`)],
    ])
      for (const path of ['token', 'introspect', 'revoke', 'par']) {
        const { status, headers, body } = await postForm(service(), `${OAUTH}/${path}`, {}, { authorization })
        assert.deepEqual([status, body.error], [401, 'invalid_client'], authorization)
        assert.match(headers.get('www-authenticate') ?? '', /^Basic realm="[^"]+", error="invalid_client"/)
      }
    const ofUserinfo = await postForm(service(), `${OAUTH}/userinfo`, {}, { authorization: 'Bearer' })
    assert.deepEqual([ofUserinfo.status, ofUserinfo.body.error], [400, 'invalid_request'])
    assert.match(ofUserinfo.headers.get('www-authenticate') ?? '', /^Bearer /)
  })

  test('A request without a client, or with an assertion that is no JWT, gets 401, and opens no dialog of a browser', async () => {
    const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
    for (const path of ['token', 'introspect', 'revoke', 'par'])
      for (const form of [
        {},
        { client_assertion: 'abc', client_assertion_type },
        { client_assertion: 'a.b.c', client_assertion_type },
      ]) {
        const { status, headers, body } = await postForm(service(), `${OAUTH}/${path}`, form)
        assert.deepEqual([status, body.error], [401, 'invalid_client'], `${path} ${JSON.stringify(form)}`)
        assert.match(body.error_description, /\w+ \w+/)
        assert.equal(headers.get('www-authenticate'), null)
      }
  })

  test('An access token for an organization counts in its metric, like a token of /api/token', async () => {
    const { user, app } = await open()
    const { slug } = user.organization
    const countOf = () => new Map(service().context.totals.entries('accounts_tokens_minted_total')).get(slug) ?? 0
    const before = countOf()
    const { status, body } = await askToken(service(), app, await newCodeForm(user, app))
    assert.deepEqual([status, decodeJwt(body.access_token).org_slug, countOf()], [200, slug, before + 1])
  })

  test('A refusal of the token endpoint counts in its metric by the error that the client gets', async () => {
    const { app } = await open()
    const strict = await createTestApp(service(), { dpop_bound_access_tokens: true })
    const counts = () => Object.fromEntries(service().context.totals.entries('accounts_oauth_refusals_total'))
    for (const [error, ask] of [
      ['invalid_client', () => postForm(service(), `${OAUTH}/token`, {})],
      ['invalid_grant', () => askToken(service(), app, refreshForm('unknown'))],
      ['invalid_dpop_proof', () => askToken(service(), strict, { grant_type: 'client_credentials' })],
    ] as const) {
      const before = counts()
      assert.equal((await ask()).body.error, error)
      assert.deepEqual(counts(), { ...before, [error]: (before[error] ?? 0) + 1 })
    }
  })

  test('A wrong secret of an app is an audit event of its organization, and one of an unknown app of none', async () => {
    const founder = await administratorWithOrganization(service())
    const organizationId = founder.organization.id
    const app = await createTestApp(service(), { client_name: 'Graphs' }, { organizationId })
    for (const id of [app.id, 'cli_unknown'])
      await postForm(service(), `${OAUTH}/introspect`, { token: 'x' }, basic({ id, secret: 'wrong' }))
    const { repeatedEvents } = service().context
    await repeatedEvents.save()
    const read = async (path: string) =>
      (await founder.client.get(`/api/auth/${path}&action=access.refused`)).body.events
    const details = { route: `${OAUTH}/introspect`, code: 'invalid_client' }
    const [event, ...others] = await read(`organization/list-audit-events?organizationId=${organizationId}`)
    assert.deepEqual([event.details, others], [{ ...details, clientId: app.id, name: 'Graphs', count: 1 }, []])
    const [ofUnknown] = await read('admin/list-audit-events?limit=1')
    assert.deepEqual([ofUnknown.organizationId, ofUnknown.details.clientId], [null, undefined])
  })

  test('A code is for one minute, one client, one redirect URI and one verifier', async () => {
    const { user, app } = await open()
    const other = await createTestApp(service())
    const attempts: [change: Record<string, string>, client: TestApp, error: string][] = [
      [{}, other, 'invalid_grant'],
      [{ redirect_uri: 'https://app.example.com/other' }, app, 'invalid_grant'],
      [{ code_verifier: 'a'.repeat(43) }, app, 'invalid_grant'],
      [{ code_verifier: 'short' }, app, 'invalid_request'],
      [{ code: 'unknown' }, app, 'invalid_grant'],
    ]
    for (const [change, client, error] of attempts) {
      const form = { ...(await newCodeForm(user, app)), ...change }
      assert.deepEqual(refusalOf(await askToken(service(), client, form)), [400, error])
    }
    const { code_verifier: _, ...withoutVerifier } = await newCodeForm(user, app)
    assert.deepEqual(refusalOf(await askToken(service(), app, withoutVerifier)), REFUSED_GRANT)
    const late = await newCodeForm(user, app)
    service().advance(61_000)
    assert.deepEqual(refusalOf(await askToken(service(), app, late)), REFUSED_GRANT)
  })

  test('Another client that sends a code or a refresh token does not end it', async () => {
    const { user, app } = await open()
    const other = await createTestApp(service())
    const form = await newCodeForm(user, app)
    await askToken(service(), other, form)
    const { status, body } = await askToken(service(), app, form)
    assert.equal(status, 200)
    assert.deepEqual(refusalOf(await askToken(service(), other, form)), REFUSED_GRANT)
    assert.deepEqual(refusalOf(await askToken(service(), other, refreshForm(body.refresh_token))), REFUSED_GRANT)
    assert.equal((await askToken(service(), app, refreshForm(body.refresh_token))).status, 200)
    await postForm(service(), `${OAUTH}/revoke`, { token: body.access_token }, basic(other))
    assert.equal((await introspect(app, body.access_token)).active, true)
  })

  test('oidcc-refresh-token: the new ID token is for the same sign-in, without its nonce', async () => {
    const { user, app } = await open()
    const first = await signInTo(user, app, { nonce: 'n' })
    const { body } = await askToken(service(), app, refreshForm(first.refresh_token ?? ''))
    const before = payloadOf(first.id_token ?? '')
    const after = payloadOf(body.id_token)
    for (const name of ['iss', 'sub', 'aud', 'auth_time', 'sid', 'acr', 'amr'])
      assert.deepEqual(after[name], before[name])
    assert.deepEqual([before.nonce, 'nonce' in after], ['n', false])
    const { body: third } = await askToken(service(), app, refreshForm(body.refresh_token))
    assert.equal('nonce' in payloadOf(third.id_token), false)
    assert.ok(Number(after.iat) >= Number(before.iat))
  })

  test('A response with tokens has Cache-Control: no-store and Pragma: no-cache (RFC 6749, section 5.1)', async () => {
    const { user, app } = await open()
    const ofCode = await askToken(service(), app, await newCodeForm(user, app))
    for (const { status, headers } of [
      ofCode,
      await askToken(service(), app, refreshForm(ofCode.body.refresh_token)),
      await askToken(service(), app, { grant_type: 'client_credentials' }),
      await exchange(service(), app, ofCode.body.access_token),
    ])
      assert.deepEqual([status, headers.get('cache-control'), headers.get('pragma')], [200, 'no-store', 'no-cache'])
  })

  test('A refresh gives less scope when asked, and never more', async () => {
    const { user, app } = await open()
    const { refresh_token = '' } = await signInTo(user, app, { scope: 'openid email offline_access' })
    const wider = refreshForm(refresh_token, { scope: 'openid email profile' })
    assert.deepEqual(refusalOf(await askToken(service(), app, wider)), [400, 'invalid_scope'])
    const { body } = await askToken(service(), app, refreshForm(refresh_token, { scope: 'openid' }))
    assert.equal(payloadOf(body.access_token).scope, 'openid')
    const { body: again } = await askToken(service(), app, refreshForm(body.refresh_token))
    assert.equal(payloadOf(again.access_token).scope, 'openid email')
  })

  test('A client may repeat the scope of its authorization request at a refresh, also the parts that were ignored', async () => {
    const { user, app } = await open()
    const requested = 'openid email groups offline_access'
    const { refresh_token = '', scope } = await signInTo(user, app, { scope: requested })
    assert.equal(scope, 'openid email')
    const { status, body } = await askToken(service(), app, refreshForm(refresh_token, { scope: requested }))
    assert.deepEqual([status, body.scope], [200, 'openid email'])
    for (const scope of ['groups', 'offline_access', 'openid organization']) {
      const refused = await askToken(service(), app, refreshForm(body.refresh_token, { scope }))
      assert.deepEqual(refusalOf(refused), [400, 'invalid_scope'], scope)
      service().advance(1)
    }
  })

  test('Fewer scopes of a client hold at userinfo, at introspection, and in the next refresh and exchange', async () => {
    const boss = await administratorWithOrganization(service())
    const user = await member(service(), boss)
    const app = await createTestApp(service())
    const { access_token, refresh_token = '' } = await signInTo(user, app)
    const update = { scope: 'openid profile offline_access' }
    const updated = await boss.client.post(`${OAUTH}/update-client`, { client_id: app.id, update })
    assert.equal(updated.status, 200, JSON.stringify(updated.body))
    const bearer = { authorization: `Bearer ${access_token}` }
    const { body: claims } = await postForm(service(), `${OAUTH}/userinfo`, {}, bearer)
    assert.deepEqual([claims.sub, claims.email, claims.org_id], [user.id, undefined, undefined])
    const fewer = ['openid profile', undefined, undefined]
    const { scope, email, org_id } = await introspect(app, access_token)
    assert.deepEqual([scope, email, org_id], fewer)
    assert.equal((await introspect(app, refresh_token)).scope, 'openid profile')
    const other = await createTestApp(service())
    const { body: exchanged } = await exchange(service(), other, access_token)
    const { body: refreshed } = await askToken(service(), app, refreshForm(refresh_token))
    for (const { access_token } of [exchanged, refreshed]) {
      const { scope, email, org_id } = payloadOf(access_token)
      assert.deepEqual([scope, email, org_id], fewer)
    }
    const more = await exchange(service(), other, access_token, { scope: 'organization' })
    assert.deepEqual(refusalOf(more), [400, 'invalid_scope'])
  })

  test('A picture of an earlier version that could hang a browser is no claim', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const { database } = service().context
    for (const [image, picture] of [
      [pngOf(1, 1), pngOf(1, 1)],
      ['https://example.com/ada.png', 'https://example.com/ada.png'],
      [pngOf(20_000, 1), undefined],
      ['data:image/svg+xml,%3Csvg/%3E', undefined],
    ] as const) {
      await database.updateTable('users').set({ image }).where('id', '=', user.id).execute()
      const { id_token = '' } = await signInTo(user, app)
      assert.equal(payloadOf(id_token).picture, picture)
    }
  })

  test('A client that may not ask for openid any more gets no ID token, because one without sub would be refused', async () => {
    const boss = await administratorWithOrganization(service())
    const user = await member(service(), boss)
    const app = await createTestApp(service())
    const { refresh_token = '' } = await signInTo(user, app, { scope: 'openid email offline_access' })
    const code = await newCodeForm(user, app, { scope: 'openid email' })
    const update = { scope: 'email offline_access' }
    const updated = await boss.client.post(`${OAUTH}/update-client`, { client_id: app.id, update })
    assert.equal(updated.status, 200, JSON.stringify(updated.body))
    for (const form of [refreshForm(refresh_token), code]) {
      const { status, body } = await askToken(service(), app, form)
      assert.deepEqual([status, body.scope, body.id_token], [200, 'email', undefined])
    }
  })

  test('A refresh token works again for 30 seconds, until its successor is used, and then ends the family', async () => {
    const { user, app } = await open()
    const { refresh_token: first = '' } = await signInTo(user, app)
    await askToken(service(), app, refreshForm(first))
    service().advance(20_000)
    const { status, body: retried } = await askToken(service(), app, refreshForm(first))
    assert.equal(status, 200)
    const { body: next } = await askToken(service(), app, refreshForm(retried.refresh_token))
    assert.equal((await introspect(app, next.access_token)).active, true)
    assert.deepEqual(refusalOf(await askToken(service(), app, refreshForm(first))), REFUSED_GRANT)
    assert.deepEqual(refusalOf(await askToken(service(), app, refreshForm(next.refresh_token))), REFUSED_GRANT)
    assert.deepEqual(await introspect(app, next.access_token), INACTIVE)
  })

  test('A refresh token that is used again after 30 seconds ends the family', async () => {
    const { user, app } = await open()
    const { refresh_token: first = '' } = await signInTo(user, app)
    const { body: second } = await askToken(service(), app, refreshForm(first))
    service().advance(31_000)
    assert.deepEqual(refusalOf(await askToken(service(), app, refreshForm(first))), REFUSED_GRANT)
    assert.deepEqual(refusalOf(await askToken(service(), app, refreshForm(second.refresh_token))), REFUSED_GRANT)
  })

  test('A disabled client, and an email address that is not verified any more, end tokens', async () => {
    const { app: other } = await open()
    const { database } = service().context
    const ends = {
      oauthClients: ({ app }: { app: TestApp }) =>
        database.updateTable('oauthClients').set({ disabled: 1 }).where('id', '=', app.id).execute(),
      users: ({ user }: { user: TestMember }) =>
        database.updateTable('users').set({ emailVerified: 0 }).where('id', '=', user.id).execute(),
    }
    for (const end of Object.values(ends)) {
      const user = await newMember(service())
      const app = await createTestApp(service())
      const { access_token } = await signInTo(user, app)
      assert.equal((await introspect(other, access_token)).active, true)
      await end({ app, user })
      assert.deepEqual(await introspect(other, access_token), INACTIVE)
    }
  })

  test('A refresh token needs the grant type, and offline_access unless the client is first-party', async () => {
    const { user } = await open()
    const grant_types = ['authorization_code' as const]
    const withoutGrant = await createTestApp(service(), { grant_types })
    assert.equal((await signInTo(user, withoutGrant)).refresh_token, undefined)
    const firstParty = await createTestApp(service())
    assert.ok((await signInTo(user, firstParty, { scope: 'openid' })).refresh_token)
    const thirdParty = await createTestApp(service(), {}, { skipConsent: 0 })
    const times = { createdAt: 0, updatedAt: 0 }
    const consent = {
      id: thirdParty.id,
      userId: user.id,
      clientId: thirdParty.id,
      scopes: 'openid',
      organizationIds: '',
      ...times,
    }
    await service().context.database.insertInto('oauthConsents').values(consent).execute()
    assert.equal((await signInTo(user, thirdParty, { scope: 'openid' })).refresh_token, undefined)
  })

  test('A client that loses the grant type has no active refresh token, and may still revoke it', async () => {
    const { user } = await open()
    const app = await createTestApp(service())
    const { refresh_token = '', access_token } = await signInTo(user, app)
    const { database } = service().context
    const client = database.selectFrom('oauthClients').select('metadata').where('id', '=', app.id)
    const { metadata } = await client.executeTakeFirstOrThrow()
    const changed = JSON.stringify({ ...JSON.parse(metadata), grant_types: ['authorization_code'] })
    await database.updateTable('oauthClients').set({ metadata: changed }).where('id', '=', app.id).execute()
    assert.deepEqual(await introspect(app, refresh_token), INACTIVE)
    assert.equal((await introspect(app, access_token)).active, true)
    const { status } = await postForm(service(), `${OAUTH}/revoke`, { token: refresh_token }, basic(app))
    assert.equal(status, 200)
    assert.deepEqual(await introspect(app, access_token), INACTIVE)
  })

  test('Introspection of a machine has the scopes that its client may have now, and ends with its grant type', async () => {
    const boss = await administratorWithOrganization(service())
    const machine = await createTestApp(service(), {}, { organizationId: boss.organization.id })
    const form = { grant_type: 'client_credentials', scope: 'organization profile' }
    const { access_token: token } = (await askToken(service(), machine, form)).body
    const read = async () => {
      const { active, scope, sub, org_id, org_slug, org_meta } = await introspect(machine, token)
      return { active, scope, sub, claims: [org_id, org_slug, org_meta] }
    }
    const { id, slug } = boss.organization
    const all = { active: true, scope: 'organization profile', sub: machine.id }
    assert.deepEqual(await read(), { ...all, claims: [id, slug, { 'client-code': null }] })
    const update = async (change: Record<string, unknown>) => {
      const body = { client_id: machine.id, update: change }
      const { status, body: answer } = await boss.client.post(`${OAUTH}/update-client`, body)
      assert.equal(status, 200, JSON.stringify(answer))
    }
    await update({ scope: 'profile' })
    assert.deepEqual(await read(), { ...all, scope: 'profile', claims: [undefined, undefined, undefined] })
    await update({ grant_types: ['authorization_code'] })
    assert.deepEqual(await introspect(machine, token), INACTIVE)
    assert.equal((await postForm(service(), `${OAUTH}/revoke`, { token }, basic(machine))).status, 200)
    await update({ grant_types: ['authorization_code', 'client_credentials'] })
    assert.deepEqual(await introspect(machine, token), INACTIVE)
  })

  test('A revoked token of a machine stays revoked until it expires, also when the clock was ahead at its creation', async () => {
    const app = await createTestApp(service())
    service().advance(3_600_000)
    const { access_token: token } = (await askToken(service(), app, { grant_type: 'client_credentials' })).body
    service().advance(-3_600_000)
    assert.equal((await introspect(app, token)).active, true)
    assert.equal((await postForm(service(), `${OAUTH}/revoke`, { token }, basic(app))).status, 200)
    for (const milliseconds of [0, 901_000, 3_590_000]) {
      service().advance(milliseconds)
      await deleteExpiredArtifacts(service().context.database, service().context.now(), 1_000)
      assert.deepEqual(await introspect(app, token), INACTIVE, `${milliseconds} ms later`)
    }
  })

  test('A token that a policy or an unverified email address refuses for now can be revoked, also one from an exchange', async () => {
    const app = await createTestApp(service())
    const { database } = service().context
    const user = await newMember(service())
    const { id } = user.organization
    const refusals = {
      'second step': (isRefused: boolean) =>
        database
          .updateTable('organizations')
          .set({ requireTwoFactor: isRefused ? 1 : 0 })
          .where('id', '=', id),
      'unverified address': (isRefused: boolean) =>
        database
          .updateTable('users')
          .set({ emailVerified: isRefused ? 0 : 1 })
          .where('id', '=', user.id),
    }
    for (const [name, refuse] of Object.entries(refusals)) {
      const { access_token, refresh_token = '' } = await signInTo(user, app)
      const { body: exchanged } = await exchange(service(), app, access_token)
      const { token: jwt } = (await user.client.get(`/api/token?org=${user.organization.slug}`)).body
      const tokens = [exchanged.access_token, access_token, (await exchange(service(), app, jwt)).body.access_token]
      await refuse(true).execute()
      for (const token of tokens) {
        assert.deepEqual(await introspect(app, token), INACTIVE, name)
        assert.equal((await postForm(service(), `${OAUTH}/revoke`, { token }, basic(app))).status, 200)
      }
      await refuse(false).execute()
      for (const token of [...tokens, refresh_token]) assert.deepEqual(await introspect(app, token), INACTIVE, name)
    }
  })

  test('A client that has to ask for consent from now on gets no tokens by a refresh until the user consents', async () => {
    const { user } = await open()
    const app = await createTestApp(service())
    const { refresh_token = '' } = await signInTo(user, app)
    const setSkipConsent = (skipConsent: number) =>
      service().context.database.updateTable('oauthClients').set({ skipConsent }).where('id', '=', app.id).execute()
    await setSkipConsent(0)
    assert.deepEqual(refusalOf(await askToken(service(), app, refreshForm(refresh_token))), REFUSED_GRANT)
    const request = await authorizationRequest(app, { prompt: 'consent' })
    const page = locationOf(await user.client.get(request.path))
    assert.equal(page.pathname, '/consent')
    const oauth_query = page.search.slice(1)
    const { body } = await user.client.post('/api/auth/oauth2/consent', { accept: true, oauth_query })
    const code = codeIn(await user.client.get(body.url))
    const tokens = await askToken(service(), app, codeForm(code, request.codeVerifier))
    assert.equal((await askToken(service(), app, refreshForm(tokens.body.refresh_token))).status, 200)
  })

  test('Without offline_access, a client that needs consent gets no refresh token and no refresh until it is back', async () => {
    const { database } = service().context
    const user = await newMember(service())
    const app = await createTestApp(service(), {}, { skipConsent: 0 })
    const consent = async () => {
      const request = await authorizationRequest(app, { prompt: 'consent' })
      const oauth_query = locationOf(await user.client.get(request.path)).search.slice(1)
      const { body } = await user.client.post('/api/auth/oauth2/consent', { accept: true, oauth_query })
      return codeForm(codeIn(await user.client.get(body.url)), request.codeVerifier)
    }
    const { body: tokens } = await askToken(service(), app, await consent())
    const form = await consent()
    const setMetadata = (metadata: string) =>
      database.updateTable('oauthClients').set({ metadata }).where('id', '=', app.id).execute()
    const client = database.selectFrom('oauthClients').select('metadata').where('id', '=', app.id)
    const { metadata } = await client.executeTakeFirstOrThrow()
    await setMetadata(metadata.replace(' offline_access', ''))
    const { body: redeemed } = await askToken(service(), app, form)
    assert.deepEqual([typeof redeemed.access_token, redeemed.refresh_token], ['string', undefined])
    const refresh = () => askToken(service(), app, refreshForm(tokens.refresh_token))
    assert.deepEqual(refusalOf(await refresh()), REFUSED_GRANT)
    assert.match((await refresh()).body.error_description, /offline_access/)
    assert.deepEqual(await introspect(app, tokens.refresh_token), INACTIVE)
    await setMetadata(metadata)
    assert.equal((await refresh()).status, 200)
  })

  test('A refresh that lacks a consent uses no refresh token up, and introspection says inactive until the user consents', async () => {
    const { database } = service().context
    const user = await newMember(service())
    const app = await createTestApp(service())
    const { refresh_token: token = '' } = await signInTo(user, app)
    const ofApp = { clientId: app.id, userId: user.id }
    const setSkipConsent = (skipConsent: number) =>
      database.updateTable('oauthClients').set({ skipConsent }).where('id', '=', app.id).execute()
    const setScopes = (scopes: string) =>
      database.updateTable('oauthConsents').set({ scopes }).where('clientId', '=', app.id).execute()
    const allow = () =>
      inTransaction(service().context, OPERATOR, (unit) =>
        saveConsent(unit, { ...ofApp, scopes: [...SCOPES], organizationId: user.organization.id }),
      )
    const steps: [refuse: () => Promise<unknown>, allow: () => Promise<unknown>][] = [
      [() => setSkipConsent(0), allow],
      [() => setScopes('openid'), () => setScopes(SCOPES.join(' '))],
      [() => deleteConsent(database, user.id, ofApp), () => setSkipConsent(1)],
    ]
    let current = token
    for (const [refuse, allowAgain] of steps) {
      await refuse()
      assert.deepEqual(refusalOf(await askToken(service(), app, refreshForm(current))), REFUSED_GRANT)
      assert.deepEqual(await introspect(app, current), INACTIVE)
      await allowAgain()
      service().advance(31_000)
      assert.equal((await introspect(app, current)).active, true)
      const { status, body } = await askToken(service(), app, refreshForm(current))
      assert.equal(status, 200, JSON.stringify(body))
      current = body.refresh_token
    }
    const reuses = database.selectFrom('auditEvents').select('id').where('action', '=', 'oauth-refresh.reused')
    assert.deepEqual(await reuses.where('subjectId', '=', user.id).execute(), [])
  })

  test('A code and a refresh token stay usable after a request for a resource that is not of the sign-in', async () => {
    const { user, app } = await open()
    const { path, codeVerifier } = await authorizationRequest(app, { resource: 'https://one.example.com' })
    const code = codeIn(await user.client.get(`${path}&resource=https%3A%2F%2Ftwo.example.com`))
    const wrong = [{}, { resource: 'https://other.example.com' }]
    for (const more of wrong) {
      const refused = await askToken(service(), app, { ...codeForm(code, codeVerifier), ...more })
      assert.deepEqual(refusalOf(refused), [400, 'invalid_target'])
    }
    const { body: tokens } = await askToken(service(), app, {
      ...codeForm(code, codeVerifier),
      resource: 'https://one.example.com',
    })
    for (const more of wrong) {
      const refused = await askToken(service(), app, refreshForm(tokens.refresh_token, more))
      assert.deepEqual(refusalOf(refused), [400, 'invalid_target'])
      service().advance(31_000)
    }
    const form = refreshForm(tokens.refresh_token, { resource: 'https://two.example.com' })
    const { status, body } = await askToken(service(), app, form)
    assert.deepEqual([status, body.error], [200, undefined])
  })

  test('Introspection of a replaced refresh token ends nothing', async () => {
    const { user, app } = await open()
    const { refresh_token: old = '' } = await signInTo(user, app)
    const { body } = await askToken(service(), app, refreshForm(old))
    service().advance(31_000)
    assert.deepEqual(await introspect(app, old), INACTIVE)
    assert.equal((await askToken(service(), app, refreshForm(body.refresh_token))).status, 200)
  })

  test('A refresh is a use of the session, and of the session at the client', async () => {
    const { context } = service()
    const user = await newMember(service())
    const app = await createTestApp(service())
    const { refresh_token = '' } = await signInTo(user, app)
    service().advance(25 * 3_600_000)
    assert.equal((await askToken(service(), app, refreshForm(refresh_token))).status, 200)
    for (const table of ['sessions', 'clientSessions'] as const) {
      const used = context.database.selectFrom(table).select('lastUsedAt').where('userId', '=', user.id)
      assert.ok(context.now() - Number((await used.executeTakeFirstOrThrow()).lastUsedAt) < 60_000, table)
    }
  })

  test('Introspection returns inactive for a refresh token of another client, and for other kinds of tokens', async () => {
    const { user, app } = await open()
    const { id_token = '', refresh_token = '' } = await signInTo(user, app)
    assert.equal((await introspect(app, refresh_token)).active, true)
    const other = await createTestApp(service())
    assert.deepEqual(await introspect(other, refresh_token), INACTIVE)
    for (const token of ['unknown', 'a.b.c', id_token, user.token])
      assert.deepEqual(await introspect(app, token), INACTIVE)
    const answer = await postForm(service(), `${OAUTH}/introspect`, { token: refresh_token })
    assert.deepEqual([answer.status, answer.body.error], [401, 'invalid_client'])
  })

  test('A revocation returns an empty JSON object, because clients such as oidc-client-ts refuse another type', async () => {
    const { app } = await open()
    const { status, body, headers } = await postForm(service(), `${OAUTH}/revoke`, { token: 'unknown' }, basic(app))
    assert.deepEqual([status, body], [200, {}])
    assert.match(headers.get('content-type') ?? '', /^application\/json/)
  })

  test('An access token ends after 15 minutes', async () => {
    const { user, app } = await open()
    const { access_token } = await signInTo(user, app)
    const { exp, iat } = payloadOf(access_token)
    assert.equal(Number(exp) - Number(iat), 900)
    service().advance(840_000)
    assert.equal((await introspect(app, access_token)).active, true)
    assert.equal(await userinfoStatus(access_token), 200)
    service().advance(60_000)
    assert.deepEqual(await introspect(app, access_token), INACTIVE)
    assert.equal(await userinfoStatus(access_token), 401)
  })

  test('oidcc-idtoken-signature with ES256: the client gets the algorithm of its metadata', async () => {
    const { user } = await open()
    const app = await createTestApp(service(), { id_token_signed_response_alg: 'ES256' })
    const { body } = await askToken(service(), app, await newCodeForm(user, app))
    const keys = createRemoteJWKSet(new URL(app.config.serverMetadata().jwks_uri ?? ''))
    const { protectedHeader } = await jwtVerify(body.id_token, keys, { issuer: service().baseUrl, audience: app.id })
    assert.equal(protectedHeader.alg, 'ES256')
    assert.equal(decodeProtectedHeader(body.access_token).alg, 'RS256')
  })

  test('After a rotation of the keys, earlier tokens verify until their end, and new tokens verify, too', async () => {
    const { user, app } = await open()
    const signers = new Set<string | undefined>()
    const verify = async (...tokens: (string | undefined)[]) => {
      const keys = createRemoteJWKSet(new URL('/api/auth/jwks', service().baseUrl))
      for (const token of tokens) {
        // The library writes its own time into ID tokens, and tests can't move that time.
        const isIdToken = decodeJwt(token ?? '').aud === app.id
        const currentDate = isIdToken ? new Date() : new Date(service().context.now())
        signers.add(
          (await jwtVerify(token ?? '', keys, { issuer: service().baseUrl, currentDate })).protectedHeader.kid,
        )
      }
    }
    const before = await signInTo(user, app)
    await rotateSigningKey(service().context)
    for (const minutes of [0, 5, 9]) {
      service().advance(minutes * 60_000)
      const { access_token, id_token } = await signInTo(user, app)
      await verify(before.access_token, before.id_token, access_token, id_token)
      assert.equal((await introspect(app, before.access_token)).active, true)
    }
    const { body } = await askToken(service(), app, refreshForm(before.refresh_token ?? ''))
    await verify(body.access_token, body.id_token)
    service().advance(2 * 3_600_000)
    const after = await signInTo(user, app)
    await verify(after.access_token, after.id_token)
    assert.equal(signers.size, 2)
  })

  test('sign-out ends codes, access tokens and refresh tokens with the next request', async () => {
    const { user: founder, app } = await open()
    const user = await member(service(), founder)
    const tokens = await signInTo(user, app)
    const form = await newCodeForm(user, app)
    await user.client.post('/api/auth/sign-out')
    assert.deepEqual(await introspect(app, tokens.access_token), INACTIVE)
    assert.equal(await userinfoStatus(tokens.access_token), 401)
    assert.deepEqual(refusalOf(await askToken(service(), app, form)), REFUSED_GRANT)
    assert.deepEqual(refusalOf(await askToken(service(), app, refreshForm(tokens.refresh_token ?? ''))), REFUSED_GRANT)
  })
})
