import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashOfArtifact } from '../../server/features/openid/adapters/store.ts'
import type { Answer, Client } from '../support/client.ts'
import {
  authorizationRequest,
  codeIn,
  createTestApp,
  locationOf,
  payloadOf,
  signInTo,
  type TestApp,
} from '../support/openid.ts'
import { addPasskey, startNewSession } from '../support/passkeys.ts'
import { askToken, assertExpired, codeForm, interactionIn, signInOnPage } from '../support/protocol.ts'
import { onEachDatabase } from '../support/service.ts'
import { askUserinfo, introspect, refresh } from '../support/token-requests.ts'
import {
  administrator,
  administratorWithOrganization,
  joinOrganization,
  member,
  newMember,
  PASSWORD,
  signedIn,
  type TestUser,
} from '../support/users.ts'

const AUTHORIZE = '/api/auth/oauth2/authorize'

onEachDatabase('Interactions', (service) => {
  const thirdParty = () => createTestApp(service(), {}, { skipConsent: 0 })

  /** @returns the id of the interaction of the page to which the browser is sent */
  async function startAt(client: Client, app: TestApp, page: string, parameters = {}): Promise<string> {
    const location = locationOf(await client.get((await authorizationRequest(app, parameters)).path))
    assert.equal(location.pathname, page, `${location}`)
    return location.searchParams.get('interaction') ?? ''
  }
  const resume = (client: Client, id: string): Promise<Answer> => client.get(`${AUTHORIZE}/${id}`)
  const allow = (client: Client, id: string) =>
    client.post('/api/auth/oauth2/consent', { accept: true, oauth_query: `interaction=${id}` })
  const hasCode = ({ headers }: Answer) => headers.get('location')?.includes('code=') ?? false

  function swapSession(client: Client, { token }: TestUser): void {
    client.cookies.set('session', token)
  }

  test('CVE-2022-39222, Hydra #753: a victim who finishes the interaction of an attacker gives the attacker no code', async () => {
    const [attacker, victim] = [service().client(), await newMember(service())]
    const app = await thirdParty()
    const id = await startAt(attacker, app, '/sign-in')
    assert.equal((await resume(victim.client, id)).status, 400)
    assert.equal((await allow(victim.client, id)).status, 404)
    assert.equal(locationOf(await resume(attacker, id)).pathname, '/sign-in')
    // An attacker with an account starts an interaction in the attacker's own signed-in browser.
    const own = await newMember(service())
    const consent = await startAt(own.client, app, '/consent')
    for (const answer of [
      await allow(victim.client, consent),
      await victim.client.get(`/api/auth/oauth2/get-interaction?interaction=${consent}`),
    ])
      assert.deepEqual([answer.status, answer.body.code], [404, 'INTERACTION_NOT_FOUND'])
    const stolen = await resume(victim.client, consent)
    assert.equal(stolen.status, 400, 'another browser has no cookie of the interaction')
  })

  test('A sign-in that is finished late, twice or in another browser does not blame the app', async () => {
    const app = await createTestApp(service())
    const { path } = await authorizationRequest(app)
    for (const isCookieExpired of [false, true]) {
      const user = await newMember(service())
      const browser = service().client()
      const page = await browser.get(path)
      service().advance(3_601_000)
      // A browser deletes the cookie of the page when the sign-in expires.
      if (isCookieExpired) browser.cookies.delete('openid-resume')
      assertExpired(await signInOnPage(browser, page, user), 'This sign-in')
    }
    const user = await newMember(service())
    const [first, second] = [service().client(), service().client()]
    const page = await first.get(path)
    assertExpired(await signInOnPage(second, page, user), 'This sign-in')
    assert.ok(hasCode(await signInOnPage(first, page, user)))
    assertExpired(await signInOnPage(first, page, user), 'This sign-in')
  })

  test("A parameter with the character NUL, which PostgreSQL can't store, is refused with a sentence", async () => {
    const { path } = await authorizationRequest(await thirdParty(), { organization: 'a\0b' })
    const { status, body } = await (await newMember(service())).client.get(path)
    assert.deepEqual([status, body.code], [400, 'VALIDATION_ERROR'])
  })

  test('The database has neither the id of an interaction, which is the value of a cookie, nor the ID token of its hint', async () => {
    const app = await createTestApp(service())
    const { id_token = '' } = await signInTo(await newMember(service()), app)
    const id = await startAt(service().client(), app, '/sign-in', { id_token_hint: id_token })
    const stored = JSON.stringify(await service().context.database.selectFrom('oauthArtifacts').selectAll().execute())
    assert.ok(stored.includes('"Interaction"'))
    for (const secret of [id, id_token]) assert.ok(secret !== '' && !stored.includes(secret), secret)
  })

  test('An interaction takes the answer of its own page only, and ends with its client', async () => {
    const founder = await administratorWithOrganization(service())
    const user = await member(service(), founder)
    const app = await thirdParty()
    const consent = await startAt(user.client, app, '/consent', { scope: 'openid' })
    const body = { organizationId: user.organization.id, oauth_query: `interaction=${consent}` }
    const chosen = await user.client.post('/api/auth/oauth2/choose-organization', body)
    assert.deepEqual([chosen.status, chosen.body.code], [404, 'INTERACTION_NOT_FOUND'])
    const second = await startAt(user.client, app, '/second-step', { acr_values: 'urn:accounts:two-step' })
    assert.equal((await allow(user.client, second)).body.code, 'INTERACTION_NOT_FOUND')
    await service().context.database.deleteFrom('oauthClients').where('id', '=', app.id).execute()
    assert.equal((await allow(user.client, consent)).body.code, 'INTERACTION_NOT_FOUND')
  })

  test('An interaction takes no consent while its client is disabled', async () => {
    const { client } = await newMember(service())
    const app = await thirdParty()
    const id = await startAt(client, app, '/consent')
    const clients = service().context.database.updateTable('oauthClients').where('id', '=', app.id)
    await clients.set({ disabled: 1 }).execute()
    assert.equal((await allow(client, id)).body.code, 'INTERACTION_NOT_FOUND')
    await clients.set({ disabled: 0 }).execute()
    assert.equal((await allow(client, id)).status, 200)
  })

  test('The consent of one user does not count for another who signs in within the same interaction', async () => {
    const [first, second] = [await newMember(service()), await newMember(service())]
    const app = await thirdParty()
    // With the scope organization, the other organization of the second user would be asked for anyway.
    const id = await startAt(first.client, app, '/consent', { scope: 'openid' })
    assert.equal((await allow(first.client, id)).status, 200)
    swapSession(first.client, second)
    const answer = await resume(first.client, id)
    assert.equal(locationOf(answer).pathname, '/consent')
    const { database } = service().context
    const consents = await database.selectFrom('oauthConsents').selectAll().where('userId', '=', second.id).execute()
    assert.deepEqual(consents, [])
  })

  test('The organization that one user chose does not count for another user, or after removal', async () => {
    const [boss, other] = [await newMember(service()), await newMember(service())]
    const [user, second] = [await member(service(), boss), await member(service(), boss)]
    for (const joining of [user, second]) await joinOrganization(service(), joining, other)
    const app = await createTestApp(service())
    const id = await startAt(user.client, app, '/choose-organization')
    const choose = (client: Client, organizationId: string) =>
      client.post('/api/auth/oauth2/choose-organization', { organizationId, oauth_query: `interaction=${id}` })
    const stranger = await newMember(service())
    assert.equal((await choose(stranger.client, stranger.organization.id)).status, 404)
    assert.equal((await choose(user.client, stranger.organization.id)).body.code, 'ORGANIZATION_NOT_FOUND')
    assert.equal((await choose(user.client, other.organization.id)).status, 200)
    swapSession(user.client, second)
    const asked = locationOf(await resume(user.client, id))
    assert.equal(asked.pathname, '/choose-organization')

    const { database } = service().context
    const memberships = database.deleteFrom('members').where('userId', '=', user.id)
    await memberships.where('organizationId', '=', other.organization.id).execute()
    swapSession(user.client, user)
    assert.ok(hasCode(await resume(user.client, asked.searchParams.get('interaction') ?? '')))
    const grants = database.selectFrom('oauthGrants').select('organizationId').where('userId', '=', user.id)
    const ids = (await grants.execute()).map(({ organizationId }) => organizationId)
    assert.deepEqual(ids, [boss.organization.id])
  })

  test('A consent to the organization that the page showed is refused when the app would see another one now', async () => {
    const [user, other] = [await newMember(service()), await newMember(service())]
    await joinOrganization(service(), user, other)
    const app = await thirdParty()
    const oauth_query = `interaction=${await startAt(user.client, app, '/choose-organization')}`
    const chosen = { organizationId: other.organization.id, oauth_query }
    assert.equal((await user.client.post('/api/auth/oauth2/choose-organization', chosen)).status, 200)
    const page = locationOf(await resume(user.client, oauth_query.slice('interaction='.length)))
    assert.equal(page.pathname, '/consent')
    const { database } = service().context
    const memberships = database.deleteFrom('members').where('userId', '=', user.id)
    await memberships.where('organizationId', '=', other.organization.id).execute()
    const answer = (organizationId: string) =>
      user.client.post('/api/auth/oauth2/consent', { accept: true, organizationId, oauth_query: page.search.slice(1) })
    const { status, body } = await answer(other.organization.id)
    assert.deepEqual([status, body.code, body.field], [404, 'ORGANIZATION_NOT_FOUND', 'organizationId'])
    const consents = database.selectFrom('oauthConsents').select('id').where('userId', '=', user.id)
    assert.deepEqual(await consents.execute(), [])
    assert.equal((await answer(user.organization.id)).status, 200)
    assert.equal((await consents.execute()).length, 1)
  })

  test('A consent for one organization does not count for another that the user joins and chooses within the interaction', async () => {
    const [user, founder] = [await newMember(service()), await newMember(service())]
    const app = await thirdParty()
    const id = await startAt(user.client, app, '/consent', { scope: 'openid organization' })
    assert.equal((await allow(user.client, id)).status, 200)
    await joinOrganization(service(), user, founder)
    const choice = interactionIn(await resume(user.client, id), '/choose-organization')
    const body = { organizationId: founder.organization.id, oauth_query: choice.query }
    assert.equal((await user.client.post('/api/auth/oauth2/choose-organization', body)).status, 200)
    interactionIn(await user.client.get(choice.resumePath), '/consent')
  })

  test('CVE-2023-6787, CVE-2023-3597: prompt=login and max_age ask again when a browser hid an old session until the page was done', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    service().advance(120_000)
    for (const parameters of [{ prompt: 'login' }, { max_age: '60' }, { max_age: '0' }]) {
      const browser = service().client()
      const id = await startAt(browser, app, '/sign-in', parameters)
      swapSession(browser, user)
      const answer = await resume(browser, id)
      assert.equal(locationOf(answer).pathname, '/sign-in', JSON.stringify(parameters))
      const { email } = user
      const again = await signedIn(service(), email)
      swapSession(browser, again)
      assert.ok(hasCode(await resume(browser, locationOf(answer).searchParams.get('interaction') ?? '')))
    }
  })

  test('A change of the password is no new sign-in for prompt=login and max_age', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    let currentPassword = PASSWORD
    for (const parameters of [{ prompt: 'login' }, { max_age: '60' }]) {
      service().advance(120_000)
      const id = await startAt(user.client, app, '/sign-in', parameters)
      const newPassword = `another fine long password ${id}`
      const change = { currentPassword, newPassword }
      assert.equal((await user.client.post('/api/auth/change-password', change)).status, 200)
      currentPassword = newPassword
      assert.equal(locationOf(await resume(user.client, id)).pathname, '/sign-in', JSON.stringify(parameters))
      await startAt(user.client, app, '/sign-in', parameters)
    }
  })

  test('The start of an impersonation is no sign-in for prompt=login and max_age', async () => {
    const admin = await administrator(service())
    const user = await newMember(service())
    const app = await createTestApp(service())
    for (const parameters of [{ prompt: 'login' }, { max_age: '60' }]) {
      service().advance(120_000)
      const id = await startAt(admin.client, app, '/sign-in', parameters)
      assert.equal((await admin.client.post('/api/auth/admin/impersonate-user', { userId: user.id })).status, 200)
      assert.equal(locationOf(await resume(admin.client, id)).pathname, '/sign-in', JSON.stringify(parameters))
      await startAt(admin.client, app, '/sign-in', parameters)
      assert.equal((await admin.client.post('/api/auth/admin/stop-impersonating')).status, 200)
    }
  })

  test('prompt=login and max_age take a passkey, in a browser that is signed in as the user or as another one', async () => {
    const user = await addPasskey(service(), await newMember(service()))
    const other = await newMember(service())
    const app = await createTestApp(service())
    for (const parameters of [{ prompt: 'login' }, { max_age: '60' }])
      for (const { token } of [user, other]) {
        const browser = service().client()
        swapSession(browser, { ...user, token })
        service().advance(120_000)
        const id = await startAt(browser, app, '/sign-in', parameters)
        assert.equal((await startNewSession(browser, user.authenticator)).status, 200)
        assert.ok(hasCode(await resume(browser, id)), JSON.stringify(parameters))
        user.token = browser.cookies.get('session') ?? ''
      }
  })

  test('The user of an id_token_hint, or of a sub in claims, gets a code after a page too, and another user gets none', async () => {
    const [user, other] = [await newMember(service()), await newMember(service())]
    const app = await createTestApp(service())
    const { id_token } = await signInTo(user, app)
    const browsers = [service().client(), other.client]
    const claims = JSON.stringify({ id_token: { sub: { value: user.id } } })
    for (const parameters of [{ id_token_hint: id_token }, { id_token_hint: id_token, prompt: 'login' }, { claims }])
      for (const browser of browsers) {
        const first = await startAt(browser, app, '/sign-in', parameters)
        swapSession(browser, other)
        assert.equal(
          locationOf(await resume(browser, first)).pathname,
          '/sign-in',
          'the other user has not signed in again',
        )
        swapSession(browser, await signedIn(service(), other.email))
        const refusal = locationOf(await resume(browser, first))
        assert.deepEqual([refusal.pathname, refusal.searchParams.get('error')], ['/callback', 'login_required'])

        const second = await startAt(browser, app, '/sign-in', parameters)
        swapSession(browser, await signedIn(service(), user.email))
        assert.ok(hasCode(await resume(browser, second)))
        swapSession(browser, other)
      }
  })

  test('CVE-2024-28197: cookies of the protocol that were set beforehand sign no user in and end no session', async () => {
    const [user, other] = [await newMember(service()), await newMember(service())]
    const app = await createTestApp(service())
    const { path } = await authorizationRequest(app)
    const { id: sessionId } = await service()
      .context.database.selectFrom('sessions')
      .select('id')
      .where('userId', '=', other.id)
      .executeTakeFirstOrThrow()
    const anonymous = service().client()
    anonymous.cookies.set('openid-session', sessionId).set('openid-resume', sessionId)
    assert.equal(locationOf(await anonymous.get(path)).pathname, '/sign-in')
    user.client.cookies
      .set('openid-session', sessionId)
      .set('openid-resume', 'made-up')
      .set('openid-interaction', 'made-up')
    const answer = await user.client.get(path)
    assert.ok(hasCode(answer))
    assert.ok(!answer.headers.getSetCookie().some((line) => line.startsWith('openid-session=')))
    const foreign = await startAt(service().client(), app, '/sign-in')
    user.client.cookies.set('openid-resume', foreign)
    // The result is the same as after a link to this request: the client must compare `state`.
    const { pathname } = locationOf(await resume(user.client, foreign))
    assert.equal(pathname, '/callback')
    assert.equal((await resume(user.client, foreign)).status, 400)
  })

  test('A client of an organization gets codes of its members only, and for this organization only', async () => {
    const [user, stranger] = [await newMember(service()), await newMember(service())]
    const app = await createTestApp(service(), {}, { organizationId: user.organization.id })
    for (const scope of ['openid', 'openid organization'])
      for (const organization of [undefined, user.organization.slug, stranger.organization.slug])
        for (const prompt of [undefined, 'none']) {
          const { path } = await authorizationRequest(app, { scope, organization, prompt })
          const location = locationOf(await stranger.client.get(path))
          assert.equal(location.searchParams.get('error'), 'access_denied', `${location}`)
          assert.equal(hasCode(await user.client.get(path)), organization !== stranger.organization.slug)
        }
    const tokens = await signInTo(user, app, { scope: 'openid' })
    assert.equal(payloadOf(tokens.access_token).org_id, undefined)
    await service().context.database.deleteFrom('members').where('userId', '=', user.id).execute()
    assert.deepEqual((await introspect(service(), app, tokens.access_token)).body, { active: false })
  })

  test('The claims parameter gives no claim that the user did not allow', async () => {
    const user = await newMember(service())
    const app = await thirdParty()
    const wanted = { email: { essential: true }, org_role: null, is_staff: null, name: null }
    const request = await authorizationRequest(app, {
      scope: 'openid',
      claims: JSON.stringify({ id_token: wanted, userinfo: wanted }),
    })
    const id = locationOf(await user.client.get(request.path)).searchParams.get('interaction') ?? ''
    assert.equal((await allow(user.client, id)).status, 200)
    const code = codeIn(await resume(user.client, id))
    const redirect_uri = 'https://app.example.com/callback'
    const { body } = await askToken(service(), app, {
      grant_type: 'authorization_code',
      code,
      redirect_uri,
      code_verifier: request.codeVerifier,
    })
    const information = await askUserinfo(service(), body.access_token)
    for (const claims of [payloadOf(body.id_token), payloadOf(body.access_token), information.body])
      assert.deepEqual(
        Object.keys(wanted).filter((name) => name in claims),
        [],
      )
  })

  test('The last answer counts: an answer with fewer scopes takes the others back, also from earlier refresh tokens', async () => {
    const user = await newMember(service())
    const app = await thirdParty()
    const answer = async (wanted: string, scope: string, { slug }: { slug: string } = user.organization) => {
      const request = await authorizationRequest(app, { scope: wanted, prompt: 'consent', organization: slug })
      const id = locationOf(await user.client.get(request.path)).searchParams.get('interaction') ?? ''
      const consent = { accept: true, scope, oauth_query: `interaction=${id}` }
      assert.equal((await user.client.post('/api/auth/oauth2/consent', consent)).status, 200)
      return (await askToken(service(), app, codeForm(codeIn(await resume(user.client, id)), request.codeVerifier)))
        .body
    }
    const all = 'openid profile email offline_access organization'
    const [small, large, ofOrganization] = [
      await answer(all, 'openid profile offline_access'),
      await answer(all, 'openid profile email offline_access'),
      await answer(all, 'openid profile offline_access organization'),
    ]
    const isRefreshed = async ({ refresh_token }: { refresh_token: string }) =>
      (await refresh(service(), app, refresh_token)).status === 200
    assert.ok(!(await isRefreshed(large)))
    assert.ok(await isRefreshed(ofOrganization))
    await answer('openid organization offline_access', 'openid offline_access')
    const { body } = await user.client.get('/api/auth/oauth2/get-consents')
    const consent = body.find(({ clientId }: { clientId: string }) => clientId === app.id)
    assert.deepEqual(consent.scopes.toSorted(), ['offline_access', 'openid', 'profile'])
    assert.ok(await isRefreshed(small))
    const other = { name: 'Other', slug: `other-${user.id.slice(-20)}` }
    assert.equal((await user.client.post('/api/auth/organization/create', other)).status, 200)
    const wanted = 'openid organization offline_access'
    const [first, second] = [await answer(wanted, wanted), await answer(wanted, wanted, other)]
    await answer(wanted, 'openid offline_access')
    assert.deepEqual([await isRefreshed(first), await isRefreshed(second)], [false, true])
  })

  test('A user who refuses an app, goes back and allows it sends a code to the client', async () => {
    const user = await newMember(service())
    const app = await thirdParty()
    const id = await startAt(user.client, app, '/consent', {})
    const refusal = { accept: false, oauth_query: `interaction=${id}` }
    assert.equal((await user.client.post('/api/auth/oauth2/consent', refusal)).status, 200)
    assert.equal((await allow(user.client, id)).status, 200)
    assert.ok(hasCode(await resume(user.client, id)))
  })

  test('A user who allows an app after a refusal that the previous version stored sends a code to the client', async () => {
    const user = await newMember(service())
    const app = await thirdParty()
    const id = await startAt(user.client, app, '/consent')
    const { database } = service().context
    const idHash = hashOfArtifact('Interaction', id)
    const { payload } = await database
      .selectFrom('oauthArtifacts')
      .select('payload')
      .where('idHash', '=', idHash)
      .executeTakeFirstOrThrow()
    const result = { error: 'access_denied', error_description: 'the user did not allow this' }
    const refused = JSON.stringify({ ...JSON.parse(payload), result })
    await database.updateTable('oauthArtifacts').set({ payload: refused }).where('idHash', '=', idHash).execute()
    assert.equal((await allow(user.client, id)).status, 200)
    assert.ok(hasCode(await resume(user.client, id)))
  })

  test('Consent allows no scope that the client did not ask for, and more scopes ask again', async () => {
    const user = await newMember(service())
    const app = await thirdParty()
    const id = await startAt(user.client, app, '/consent', { scope: 'openid profile' })
    for (const scope of ['openid email', 'openid profile organization', 'profile', ''])
      assert.equal(
        (await user.client.post('/api/auth/oauth2/consent', { accept: true, scope, oauth_query: `interaction=${id}` }))
          .body.code,
        'VALIDATION_ERROR',
      )
    assert.equal(
      (
        await user.client.post('/api/auth/oauth2/consent', {
          accept: true,
          scope: 'openid',
          oauth_query: `interaction=${id}`,
        })
      ).status,
      200,
    )
    assert.ok(hasCode(await resume(user.client, id)))
    await startAt(user.client, app, '/consent', { scope: 'openid profile' })
    const { path } = await authorizationRequest(app, { scope: 'openid profile', prompt: 'none' })
    assert.equal(locationOf(await user.client.get(path)).searchParams.get('error'), 'consent_required')
  })
})
