import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportJWK, generateKeyPair } from 'jose'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  clientCredentialsGrant,
  discovery,
  dynamicClientRegistration,
  fetchUserInfo,
  None,
  PrivateKeyJwt,
  refreshTokenGrant,
  tokenIntrospection,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { authorizationRequest, codeIn, createTestApp, locationOf, REDIRECT_URI } from '../support/openid.ts'
import { onEachDatabase } from '../support/service.ts'
import { administrator, administratorWithOrganization, newMember, type TestUser } from '../support/users.ts'

const OAUTH2 = '/api/auth/oauth2'
const MACHINE = { client_name: 'Export', grant_types: ['client_credentials'] }
const execute = [allowInsecureRequests]

/** RFC 6749, section 5.2. The status is 400 or 401; with 401, openid-client reports the header. */
const isInvalidClient = ({ status }: { status?: number }) => status === 401
const isInvalidGrant = ({ status, cause }: { status?: number; cause?: unknown }) =>
  status === 400 && (cause as { error?: string }).error === 'invalid_grant'
/** RFC 6750, section 3.1. */
const isInvalidToken = (error: unknown) =>
  error instanceof WWWAuthenticateChallengeError &&
  error.status === 401 &&
  error.cause[0]?.parameters.error === 'invalid_token'

async function signInWithConsent({ client }: TestUser, config: Configuration, parameters: Record<string, string>) {
  const { client_id: id } = config.clientMetadata()
  const { path, codeVerifier } = await authorizationRequest({ id }, parameters)
  const asked = locationOf(await client.get(path))
  assert.equal(asked.pathname, '/consent')
  const allowed = await client.post(`${OAUTH2}/consent`, { accept: true, oauth_query: asked.search.slice(1) })
  assert.equal(allowed.status, 200, JSON.stringify(allowed.body))
  const resumed = await client.get(allowed.body.url)
  assert.ok(codeIn(resumed))
  const checks = { pkceCodeVerifier: codeVerifier, expectedState: 'state of the client' }
  return authorizationCodeGrant(config, locationOf(resumed), checks)
}

onEachDatabase('Managed clients with openid-client', (service) => {
  const getToken = async (id: string, authentication: ClientAuth) =>
    clientCredentialsGrant(await discovery(new URL(service().baseUrl), id, undefined, authentication, { execute }))

  test('A client that create-client made gets tokens with its secret; rotate-secret, disabling and deletion end that immediately', async () => {
    const { client } = await administratorWithOrganization(service())
    const { body } = await client.post(`${OAUTH2}/create-client`, MACHINE)
    const { client_id, client_secret: first } = body
    assert.ok((await getToken(client_id, ClientSecretBasic(first))).access_token)
    const rotated = await client.post(`${OAUTH2}/client/rotate-secret`, { client_id })
    const second = rotated.body.client_secret
    await assert.rejects(getToken(client_id, ClientSecretBasic(first)), isInvalidClient)
    const hash = await service()
      .context.database.selectFrom('oauthClients')
      .select('secretHash')
      .where('id', '=', client_id)
      .executeTakeFirstOrThrow()
    await assert.rejects(getToken(client_id, ClientSecretBasic(hash.secretHash ?? '')), isInvalidClient)
    assert.ok((await getToken(client_id, ClientSecretBasic(second))).access_token)
    const update = (change: object) => client.post(`${OAUTH2}/update-client`, { client_id, update: change })
    await update({ token_endpoint_auth_method: 'client_secret_post' })
    assert.ok((await getToken(client_id, ClientSecretPost(second))).access_token)
    await update({ disabled: true })
    await assert.rejects(getToken(client_id, ClientSecretPost(second)), isInvalidClient)
    await update({ disabled: false })
    assert.ok((await getToken(client_id, ClientSecretPost(second))).access_token)
    await client.post(`${OAUTH2}/delete-client`, { client_id })
    await assert.rejects(getToken(client_id, ClientSecretPost(second)), isInvalidClient)
  })

  test('A client with public keys gets tokens with its private key, for each accepted kind of key', async () => {
    const { client } = await administratorWithOrganization(service())
    for (const algorithm of ['RS256', 'ES256', 'Ed25519']) {
      const { privateKey, publicKey } = await generateKeyPair(algorithm)
      const { body } = await client.post(`${OAUTH2}/create-client`, {
        ...MACHINE,
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [await exportJWK(publicKey)] },
      })
      assert.equal(body.client_secret, undefined)
      assert.ok((await getToken(body.client_id, PrivateKeyJwt(privateKey))).access_token, algorithm)
    }
  })

  test('revoke-app, delete-consent and delete-client end refresh, introspection and userinfo with the next request', async () => {
    const watcher = await createTestApp(service())
    const admin = await administrator(service())
    for (const end of ['revoke-app', 'delete-consent', 'delete-client'] as const) {
      const user = await newMember(service())
      const app = await createTestApp(service(), {}, { skipConsent: 0 })
      const { access_token, refresh_token } = await signInWithConsent(user, app.config, { prompt: 'consent' })
      assert.ok(refresh_token)
      const [consent] = (await user.client.get(`${OAUTH2}/get-consents`)).body
      assert.equal((await tokenIntrospection(watcher.config, access_token)).active, true, end)
      assert.equal((await fetchUserInfo(app.config, access_token, user.id)).sub, user.id, end)
      const { status } = await {
        'revoke-app': () => user.client.post(`${OAUTH2}/revoke-app`, { clientId: app.id }),
        'delete-consent': () => user.client.post(`${OAUTH2}/delete-consent`, { id: consent.id }),
        'delete-client': () => admin.client.post(`${OAUTH2}/delete-client`, { client_id: app.id }),
      }[end]()
      assert.equal(status, 200, end)
      const isRefused = end === 'delete-client' ? isInvalidClient : isInvalidGrant
      await assert.rejects(refreshTokenGrant(app.config, refresh_token), isRefused, end)
      assert.deepEqual(await tokenIntrospection(watcher.config, access_token), { active: false }, end)
      await assert.rejects(fetchUserInfo(app.config, access_token, user.id), isInvalidToken, end)
    }
  })
})

onEachDatabase(
  'Registration with openid-client',
  (service) => {
    test('A client that registers itself, public or confidential, signs a user in after the consent', async () => {
      const user = await newMember(service())
      for (const [method, authentication] of [
        ['none', None()],
        ['client_secret_basic', undefined],
      ] as const) {
        const metadata = { client_name: 'Assistant', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: method }
        const config = await dynamicClientRegistration(new URL(service().baseUrl), metadata, authentication, {
          execute,
        })
        const tokens = await signInWithConsent(user, config, { scope: 'openid' })
        assert.equal(tokens.claims()?.sub, user.id)
        const { body } = await user.client.get(`${OAUTH2}/list-apps`)
        const id = config.clientMetadata().client_id
        const app = body.find(({ clientId }: { clientId: string }) => clientId === id)
        assert.deepEqual([app.name, app.scopes], ['Assistant', ['openid']])
      }
    })
  },
  { ALLOW_CLIENT_REGISTRATION: 'true' },
)
