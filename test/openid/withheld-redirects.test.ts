import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ClientMetadata } from '../../server/core/oauth-clients/metadata.ts'
import type { Answer } from '../support/client.ts'
import { authorizationRequest, createTestApp, locationOf, REDIRECT_URI, signInTo } from '../support/openid.ts'
import { errorIn, interactionIn, pageErrorOf } from '../support/protocol.ts'
import { type Service, startService } from '../support/service.ts'
import { administratorWithOrganization, member, type TestMember } from '../support/users.ts'

const BYE = 'https://app.example.com/bye'
const END_SESSION = '/api/auth/oauth2/end-session'

describe('Redirects that are withheld (RFC 9700, section 4.11.2)', () => {
  let service: Service
  let founder: TestMember
  before(async () => {
    service = await startService({ engine: 'sqlite' })
    founder = await administratorWithOrganization(service)
  })
  after(() => service.stop())

  const registeredApp = (metadata: Partial<ClientMetadata> = {}) =>
    createTestApp(service, metadata, { createdBy: null, skipConsent: 0 })
  const appOfOrganization = () =>
    createTestApp(service, {}, { organizationId: founder.organization.id, skipConsent: 0 })
  const authorize = async (client: TestMember['client'], app: { id: string }, parameters = {}, headers = {}) =>
    client.get((await authorizationRequest(app, parameters)).path, { headers })
  const askLogOut = (client: TestMember['client'], parameters: Record<string, string>) =>
    client.get(`${END_SESSION}?${new URLSearchParams(parameters)}`, { headers: { accept: 'text/html' } })

  /** The link of a page to the site of an app, which it names. */
  function linkIn({ body }: Answer, site = 'https://app.example.com'): URL {
    const [, address = '', text] = /<a href="([^"]*)">go on to ([^<]*)<\/a>/.exec(body) ?? []
    assert.equal(text, site)
    return new URL(address.replaceAll('&amp;', '&'))
  }

  test('An error of an app that registered itself leads no browser there before its user has signed in: our page has a link', async () => {
    const app = await registeredApp()
    for (const [parameters, code] of [
      [{ scope: 'unknown' }, 'invalid_scope'],
      [{ prompt: 'unknown' }, 'invalid_request'],
      [{ code_challenge: undefined }, 'invalid_request'],
      [{ response_mode: 'form_post', scope: 'unknown' }, 'invalid_scope'],
      [{ prompt: 'none' }, 'login_required'],
    ] as const) {
      const answer = await authorize(service.client(), app, parameters)
      assert.equal(pageErrorOf(answer), code)
      const { origin, pathname, searchParams } = linkIn(answer)
      assert.equal(`${origin}${pathname}`, REDIRECT_URI)
      assert.equal(searchParams.get('error'), code)
      assert.match(searchParams.get('error_description') ?? '', /\w+ \w+/)
      assert.equal(searchParams.get('state'), 'state of the client')
      assert.equal(searchParams.get('iss'), service.baseUrl)
    }
  })

  test('The link has the error in the fragment for response_mode=fragment', async () => {
    const answer = await authorize(service.client(), await registeredApp(), {
      scope: 'unknown',
      response_mode: 'fragment',
    })
    const { search, hash } = linkIn(answer)
    assert.equal(search, '')
    assert.equal(new URLSearchParams(hash.slice(1)).get('error'), 'invalid_scope')
    assert.equal(new URLSearchParams(hash.slice(1)).get('state'), 'state of the client')
  })

  test('The link says unauthorized_client, as a redirect would, and has the parameters of the redirect URI', async () => {
    const uri = 'https://app.example.com/callback?tenant=1'
    const app = await registeredApp({ redirect_uris: [uri], grant_types: ['client_credentials'], response_types: [] })
    const answer = await authorize(service.client(), app, { redirect_uri: uri })
    assert.equal(pageErrorOf(answer), 'unauthorized_client')
    const { searchParams } = linkIn(answer)
    assert.deepEqual([searchParams.get('tenant'), searchParams.get('error')], ['1', 'unauthorized_client'])
  })

  test('The page escapes what the request says', async () => {
    const state = `"><script>alert(1)</script>`
    const answer = await authorize(service.client(), await registeredApp(), { scope: 'unknown', state })
    assert.equal(pageErrorOf(answer), 'invalid_scope')
    assert.equal(linkIn(answer).searchParams.get('state'), state)
  })

  test('The page has no link to a redirect URI that is not registered', async () => {
    const app = await registeredApp()
    for (const parameters of [{ scope: 'unknown' }, { prompt: 'none' }, {}]) {
      const redirect_uri = 'https://evil.example/callback'
      const answer = await authorize(service.client(), app, { ...parameters, redirect_uri })
      assert.equal(pageErrorOf(answer), 'invalid_redirect_uri')
      assert.doesNotMatch(answer.body, /evil\.example/)
    }
  })

  test('A silent request in a frame gets the redirect, as signinSilent needs it', async () => {
    const app = await registeredApp()
    const inFrame = { 'sec-fetch-dest': 'iframe' }
    const silent = await authorize(service.client(), app, { prompt: 'none' }, inFrame)
    assert.equal(errorIn(silent), 'login_required')
    const loud = await authorize(service.client(), app, { scope: 'unknown' }, inFrame)
    assert.equal(pageErrorOf(loud), 'invalid_scope')
  })

  test('An app that an administrator or an organization created gets each error by a redirect', async () => {
    for (const app of [await createTestApp(service), await appOfOrganization()])
      for (const [parameters, code] of [
        [{ scope: 'unknown' }, 'invalid_scope'],
        [{ prompt: 'none' }, 'login_required'],
      ] as const)
        assert.equal(errorIn(await authorize(service.client(), app, parameters)), code)
  })

  test('A browser whose user is signed in, or that can sign in, goes on as before', async () => {
    const app = await registeredApp()
    const user = await member(service, founder)
    assert.equal(errorIn(await authorize(user.client, app, { prompt: 'none' })), 'consent_required')
    interactionIn(await authorize(service.client(), app), '/sign-in')
  })

  /** An app that registered itself, and an ID token that it got for the account of an attacker. */
  async function appWithToken() {
    const app = await createTestApp(service)
    const { id_token = '' } = await signInTo(await member(service, founder), app)
    const { database } = service.context
    await database.updateTable('oauthClients').set({ createdBy: null }).where('id', '=', app.id).execute()
    return { id: app.id, id_token }
  }

  test('A log-out without a session shows a link to the app, with its state, also with an ID token of the app', async () => {
    const { id, id_token } = await appWithToken()
    for (const parameters of [{ client_id: id }, { id_token_hint: id_token }]) {
      const logOut = { ...parameters, post_logout_redirect_uri: BYE, state: 'a state' }
      const { status, headers, body } = await askLogOut(service.client(), logOut)
      assert.deepEqual([status, headers.get('location')], [200, null])
      assert.match(body, /<h1>You are signed out<\/h1>/)
      assert.doesNotMatch(body, /<form|<script/)
      assert.equal(linkIn({ status, headers, body }).href, `${BYE}?state=a+state`)
    }
  })

  test('A log-out with the ID token of another user names the site of the app, and not the app, in its link', async () => {
    const user = await member(service, founder)
    const { id_token } = await appWithToken()
    const answer = await askLogOut(user.client, { id_token_hint: id_token, post_logout_redirect_uri: BYE })
    assert.match(answer.body, /<h1>You are signed in as another user<\/h1>/)
    assert.equal(linkIn(answer).href, BYE)
    assert.doesNotMatch(answer.body, /<a [^>]*>[^<]*Grafana/)
  })

  test('The question of a log-out names the site to which it leads', async () => {
    const user = await member(service, founder)
    const { id } = await registeredApp()
    const { body } = await askLogOut(user.client, { client_id: id, post_logout_redirect_uri: BYE })
    assert.match(body, /<h1>Sign out\?<\/h1>.*Then you go on to https:\/\/app\.example\.com\./s)
    assert.doesNotMatch((await askLogOut(user.client, { client_id: id })).body, /go on to/)
  })

  test('A log-out without a session shows no link to an address that is not registered', async () => {
    const { id } = await registeredApp()
    const answer = await askLogOut(service.client(), {
      client_id: id,
      post_logout_redirect_uri: 'https://evil.example/bye',
    })
    assert.equal(pageErrorOf(answer), 'invalid_request')
    assert.doesNotMatch(answer.body, /evil\.example/)
  })

  test('A log-out of an app leads there for a signed-in user, and if the app did not register itself', async () => {
    const user = await member(service, founder)
    const app = await registeredApp()
    const ofOrganization = await appOfOrganization()
    for (const [client, parameters] of [
      [user.client, { client_id: app.id }],
      [service.client(), { client_id: ofOrganization.id }],
    ] as const) {
      const { body } = await askLogOut(client, { ...parameters, post_logout_redirect_uri: BYE })
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(body)?.[1] ?? ''
      const answer = await client.post(`${END_SESSION}/confirm`, undefined, {
        rawBody: String(new URLSearchParams({ xsrf, logout: 'yes' })),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      assert.equal(locationOf(answer).href, BYE)
    }
  })
})
