import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../support/service.ts'

const OAUTH = '/api/auth/oauth2'

describe('Discovery', () => {
  let service: Service
  before(async () => {
    service = await startService({ engine: 'sqlite' })
  })
  after(() => service.stop())

  async function read(path: string) {
    const response = await fetch(new URL(path, service.baseUrl), { headers: { origin: 'https://app.example.com' } })
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type') ?? '', /^application\/(jwk-set\+)?json/)
    assert.match(response.headers.get('access-control-allow-origin') ?? '', /^(\*|https:\/\/app\.example\.com)$/)
    return response.json() as Promise<Record<string, unknown>>
  }

  test('oidcc-discovery-endpoint-verification: the document says what the service can do', async () => {
    const document = await read('/.well-known/openid-configuration')
    const { baseUrl } = service
    const endpoints = {
      issuer: baseUrl,
      authorization_endpoint: `${baseUrl}${OAUTH}/authorize`,
      token_endpoint: `${baseUrl}${OAUTH}/token`,
      userinfo_endpoint: `${baseUrl}${OAUTH}/userinfo`,
      introspection_endpoint: `${baseUrl}${OAUTH}/introspect`,
      revocation_endpoint: `${baseUrl}${OAUTH}/revoke`,
      pushed_authorization_request_endpoint: `${baseUrl}${OAUTH}/par`,
      device_authorization_endpoint: `${baseUrl}/api/auth/device/code`,
      jwks_uri: `${baseUrl}/api/auth/jwks`,
    }
    for (const [name, value] of Object.entries(endpoints)) assert.equal(document[name], value)
    assert.deepEqual(document.response_types_supported, ['code'])
    assert.deepEqual(document.subject_types_supported, ['public'])
    assert.deepEqual(document.code_challenge_methods_supported, ['S256'])
    assert.deepEqual(document.id_token_signing_alg_values_supported, ['RS256', 'ES256'])
    const ofConfidentialClients = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']
    for (const [endpoint, methods] of [
      ['token', ['none', ...ofConfidentialClients]],
      ['introspection', ofConfidentialClients],
      ['revocation', ['none', ...ofConfidentialClients]],
    ] as const) {
      assert.deepEqual(document[`${endpoint}_endpoint_auth_methods_supported`], methods)
      const algorithms = document[`${endpoint}_endpoint_auth_signing_alg_values_supported`]
      assert.deepEqual(algorithms, ['RS256', 'PS256', 'ES256', 'Ed25519', 'EdDSA'])
    }
    assert.equal(document.authorization_response_iss_parameter_supported, true)
    assert.notEqual(document.request_parameter_supported, true)
    // A document without this field means true.
    assert.equal(document.request_uri_parameter_supported, false)
    assert.equal(document.claims_parameter_supported, true)
    assert.deepEqual(document.prompt_values_supported, ['none', 'login', 'select_account', 'consent'])
    for (const scope of ['openid', 'profile', 'email', 'offline_access', 'organization'])
      assert.ok((document.scopes_supported as string[]).includes(scope))
    for (const claim of ['sub', 'name', 'email', 'auth_time', 'acr', 'amr', 'sid', 'org_id'])
      assert.ok((document.claims_supported as string[]).includes(claim), claim)
  })

  test('oidcc-rp-initiated-logout- and oidcc-backchannel-rp-initiated-logout-discovery-endpoint-verification: log-outs', async () => {
    const document = await read('/.well-known/openid-configuration')
    assert.equal(document.end_session_endpoint, `${service.baseUrl}${OAUTH}/end-session`)
    assert.equal(document.backchannel_logout_supported, true)
    assert.equal(document.backchannel_logout_session_supported, true)
  })

  test('The document of RFC 8414 says the same', async () => {
    assert.deepEqual(
      await read('/.well-known/oauth-authorization-server'),
      await read('/.well-known/openid-configuration'),
    )
  })

  test('No document promises a registration that is off, or an endpoint that does not exist', async () => {
    const document = await read('/.well-known/openid-configuration')
    assert.equal(document.registration_endpoint, undefined)
    for (const [name, value] of Object.entries(document).filter(([name]) => /endpoint$|_uri$/.test(name))) {
      const url = new URL(String(value))
      const { pathname } = url
      assert.ok(
        service.routes.some((route) => route.url === pathname),
        name,
      )
    }
  })

  test('oidcc-server: the JWKS has public keys of RS256 and ES256, each with kid, use and alg', async () => {
    const { keys } = (await read('/api/auth/jwks')) as { keys: Record<string, string>[] }
    assert.deepEqual(keys.map(({ alg }) => alg).sort(), ['ES256', 'RS256'])
    for (const { kid, use, ...key } of keys) {
      assert.ok(kid)
      assert.equal(use, 'sig')
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) assert.equal(key[secret], undefined)
    }
    assert.equal(new Set(keys.map(({ kid }) => kid)).size, keys.length)
  })
})
