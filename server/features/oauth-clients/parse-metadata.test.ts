import assert from 'node:assert/strict'
import { generateKeyPairSync, type JsonWebKeyInput } from 'node:crypto'
import { test } from 'node:test'
import { GRANT_TYPES } from '../../core/oauth-clients/metadata.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { ClientMetadataInput } from './metadata-fields.ts'
import { parseClientMetadata } from './parse-metadata.ts'

const SERVER = { baseUrl: 'https://accounts.example.com' }
const LOCAL = { baseUrl: 'http://localhost:3000' }
const WEB = { redirect_uris: ['https://app.example.com/callback'] }
const NATIVE = { application_type: 'native', token_endpoint_auth_method: 'none' } as const
const MACHINE = { grant_types: ['client_credentials'] } as const satisfies ClientMetadataInput

type Jwk = JsonWebKeyInput['key'] & Record<string, unknown>
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const RSA_KEY = rsa.publicKey.export({ format: 'jwk' }) as Jwk
const EC_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }) as Jwk
const SHORT_KEY = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' }) as Jwk
const ED_KEY = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) as Jwk
const OTHER_KEY = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' }) as Jwk
const withKeys = (...keys: Record<string, unknown>[]): ClientMetadataInput => ({
  ...WEB,
  token_endpoint_auth_method: 'private_key_jwt',
  jwks: { keys },
})

/** JSON.stringify overflows the stack with many levels of such names. */
function nestedObject(levels: number): object {
  return JSON.parse(`${'{"1":'.repeat(levels)}1${'}'.repeat(levels)}`) as object
}

/** The field and the message of the refusal; undefined when the metadata is accepted. */
function refusalOf(input: ClientMetadataInput, config = SERVER): [code: string, field?: string] | undefined {
  try {
    parseClientMetadata(config, input)
    return undefined
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error))
    assert.match(error.message, /^[A-Z].*\.$/)
    return [error.code, error.field ?? '']
  }
}

test('parseClientMetadata adds the defaults of RFC 7591', () => {
  assert.deepEqual(parseClientMetadata(SERVER, { ...WEB, client_uri: null }), {
    ...WEB,
    client_name: 'app.example.com',
    post_logout_redirect_uris: [],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    scope: 'openid profile email offline_access organization',
    token_endpoint_auth_method: 'client_secret_basic',
    id_token_signed_response_alg: 'RS256',
    application_type: 'web',
    backchannel_logout_session_required: false,
    dpop_bound_access_tokens: false,
  })
})

test('parseClientMetadata accepts machines without redirect URIs, every grant type, and repeated values once', () => {
  assert.deepEqual(parseClientMetadata(SERVER, MACHINE).response_types, [])
  assert.equal(refusalOf({ ...WEB, grant_types: [...GRANT_TYPES] }), undefined)
  const repeated = parseClientMetadata(SERVER, { redirect_uris: [...WEB.redirect_uris, ...WEB.redirect_uris] })
  assert.deepEqual(repeated.redirect_uris, WEB.redirect_uris)
  assert.equal(parseClientMetadata(SERVER, { ...WEB, scope: ' openid  email openid ' }).scope, 'openid email')
})

const WEB_URIS_REFUSED: Record<string, string[]> = {
  'CVE-2023-6291, CVE-2023-6134, CVE-2023-6927 (Keycloak): wildcards and other hosts': [
    'https://app.example.com/*',
    'https://*.example.com/callback',
    'https://app.example.com@evil.example/',
    'https://evil%2eexample/',
    'https://user:password@app.example.com/callback',
    'https://@evil.example/callback',
    'https://app.example.com\\@evil.example/',
  ],
  'CVE-2024-1132 (Keycloak): path traversal, also encoded': [
    'https://app.example.com/callback/../admin',
    'https://app.example.com/callback/..',
    'https://app.example.com/callback/%2e%2e/admin',
    'https://app.example.com/callback/.%2E/admin',
    'https://app.example.com/callback%2f..%2fadmin',
    'https://app.example.com/callback%5c..%5cadmin',
    'https://app.example.com/./callback',
  ],
  'CVE-2024-21637 (authentik): scripts and data': [
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'javascript://app.example.com/%0aalert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'blob:https://app.example.com/x',
    'file:///etc/passwd',
  ],
  'RFC 6749, section 3.1.2: fragments and relative addresses': [
    'https://app.example.com/callback#x',
    'https://app.example.com/callback#',
    '/callback',
    'app.example.com/callback',
    '//app.example.com/callback',
    'https:app.example.com',
    'https:///app.example.com',
    'https://',
  ],
  'http, schemes of apps, and text that parsers read in two ways': [
    'http://app.example.com/callback',
    'http://localhost:4000/callback',
    'http://127.0.0.1/callback',
    'com.example.app:/callback',
    'https://app.example.com/call back',
    'https://app.example.com\\callback',
    'https://app.example.com/call\\back',
    'https://app.example.com/callback\n',
    ' https://app.example.com/callback',
    'https://app.example.com/\tcallback',
    'https://äpp.example.com/callback',
    'https://app.example.com/%0d%0aSet-Cookie:x',
    'https://app.example.com/%00',
  ],
  'Hosts with characters of a security policy': [
    'https://a;script-src/',
    'https://a,b.example.com/callback',
    "https://a$'b.example.com/callback",
    'https://a%3bb.example.com/callback',
  ],
}
for (const [name, uris] of Object.entries(WEB_URIS_REFUSED)) {
  test(`${name} are refused as redirect and log-out URIs`, () => {
    for (const uri of uris) {
      assert.deepEqual(refusalOf({ redirect_uris: [uri] }), ['INVALID_REDIRECT_URI', 'redirect_uris'], uri)
      const logout = { ...WEB, post_logout_redirect_uris: [uri] }
      assert.deepEqual(refusalOf(logout), ['INVALID_REDIRECT_URI', 'post_logout_redirect_uris'], uri)
    }
  })
}

test('RFC 8252: native apps may use http on this machine, https and a domain in reverse, and nothing else', () => {
  for (const uri of [
    'http://127.0.0.1/callback',
    'http://[::1]:7777/callback',
    'http://localhost:7777/',
    'https://app.example.com/callback',
    'com.example.app:/callback',
    'com.example.app://callback',
  ])
    assert.equal(refusalOf({ ...NATIVE, redirect_uris: [uri] }), undefined, uri)
  for (const uri of [
    'http://app.example.com/callback',
    'http://127.0.0.1.evil.example/',
    'http://localhost.evil.example/',
    'http://127.0.0.2/',
    'https://localhost/callback',
    'myapp://callback',
    'javascript:alert(1)',
    'mailto:a@example.com',
    'com.example.app:/../callback',
  ])
    assert.deepEqual(refusalOf({ ...NATIVE, redirect_uris: [uri] }), ['INVALID_REDIRECT_URI', 'redirect_uris'], uri)
})

test('Redirect URIs with a port, a query, an address, a trailing dot or dots in a name are accepted', () => {
  for (const uri of [
    'https://app.example.com:8443/callback?tenant=a%2Fb',
    'https://192.0.2.1/callback',
    'https://[2001:db8::1]:8443/callback',
    'https://xn--pp-example-0na.test/callback',
    'https://under_score.example.com./callback',
    'https://app.example.com/.well-known/callback',
    'https://app.example.com/a..b/...',
    'https://app.example.com/?next=../x',
    'https://app.example.com',
  ])
    assert.equal(refusalOf({ redirect_uris: [uri] }), undefined, uri)
})

test('CVE-2020-10770 (Keycloak): addresses that the service requests are public https, without credentials', () => {
  const refused = [
    'http://app.example.com/logout',
    'https://user@app.example.com/',
    'https://user:password@app.example.com/',
    'https://@app.example.com/',
    'https://app.example.com/#x',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://a.localhost/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.0.0.1/',
    'https://0/',
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://100.64.0.1/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[64:ff9b::a00:1]/',
    'https://[fe80::1]/',
    'https://[fd00::1]/',
  ]
  for (const uri of refused) {
    const keys = { ...WEB, token_endpoint_auth_method: 'private_key_jwt', jwks_uri: uri } as const
    assert.deepEqual(refusalOf(keys), ['INVALID_CLIENT_METADATA', 'jwks_uri'], uri)
    const logout = { ...WEB, backchannel_logout_uri: uri }
    assert.deepEqual(refusalOf(logout), ['INVALID_CLIENT_METADATA', 'backchannel_logout_uri'], uri)
  }
  for (const uri of [
    'https://app.example.com:8443/logout?x=1',
    'https://app.example.com/@tenant/logout',
    'https://8.8.8.8/logout',
  ])
    assert.equal(refusalOf({ ...WEB, backchannel_logout_uri: uri }), undefined, uri)
})

test('Addresses on this machine are accepted while BASE_URL is on this machine, private networks are not', () => {
  for (const uri of ['http://localhost:4000/logout', 'http://127.0.0.1:4000/', 'https://[::1]/'])
    assert.equal(refusalOf({ ...WEB, backchannel_logout_uri: uri }, LOCAL), undefined, uri)
  for (const uri of ['http://app.example.com/', 'https://192.168.1.1/', 'http://169.254.169.254/'])
    assert.ok(refusalOf({ ...WEB, backchannel_logout_uri: uri }, LOCAL), uri)
})

const REFUSED: [string, ClientMetadataInput, field: string][] = [
  ['An app with a sign-in and without redirect URI', { client_name: 'App' }, 'redirect_uris'],
  ['The response type code without its grant type', { ...MACHINE, response_types: ['code'] }, 'response_types'],
  ['The grant type authorization_code without code', { ...WEB, response_types: [] }, 'response_types'],
  ['An unknown scope', { ...WEB, scope: 'openid admin' }, 'scope'],
  ['An empty list of scopes', { ...WEB, scope: '  ' }, 'scope'],
  ['Client credentials of a public client', { ...MACHINE, token_endpoint_auth_method: 'none' }, 'grant_types'],
  [
    'Token exchange of a public client',
    { ...WEB, grant_types: ['authorization_code', GRANT_TYPES[4]], token_endpoint_auth_method: 'none' },
    'grant_types',
  ],
  ['private_key_jwt without keys', { ...WEB, token_endpoint_auth_method: 'private_key_jwt' }, 'jwks'],
  [
    'A signing algorithm without private_key_jwt',
    { ...WEB, token_endpoint_auth_signing_alg: 'ES256' },
    'token_endpoint_auth_signing_alg',
  ],
  ['Keys and their address', { ...withKeys(RSA_KEY), jwks_uri: 'https://app.example.com/jwks' }, 'jwks_uri'],
  ['A private RSA key', withKeys(rsa.privateKey.export({ format: 'jwk' }) as Jwk), 'jwks'],
  ['One private member', withKeys(EC_KEY, { ...EC_KEY, d: 'AA' }), 'jwks'],
  ['A symmetric key', withKeys({ kty: 'oct', k: 'AAAA' }), 'jwks'],
  ['A short RSA key', withKeys(SHORT_KEY), 'jwks'],
  ['A key for another algorithm', withKeys(OTHER_KEY), 'jwks'],
  ['A key that is none', withKeys({ kty: 'RSA', n: 'x' }), 'jwks'],
  ['A port that is no number', { ...WEB, client_uri: 'https://app.example.com:x/' }, 'client_uri'],
  ['A host that is none', { ...WEB, policy_uri: 'https://%' }, 'policy_uri'],
  ['A key whose id is a number', withKeys({ ...EC_KEY, kid: 5 }), 'jwks'],
  ['A key whose algorithm is empty', withKeys({ ...EC_KEY, alg: '' }), 'jwks'],
  ['A key whose certificates are a text', withKeys({ ...EC_KEY, x5c: 'A' }), 'jwks'],
  ['Long keys', withKeys({ ...RSA_KEY, x5c: ['A'.repeat(20_000)] }), 'jwks'],
  ['A key that is nested 10,000 levels deep', withKeys({ ...EC_KEY, deep: nestedObject(10_000) }), 'jwks'],
]
for (const [name, input, field] of REFUSED) {
  test(`${name} is refused, with the field`, () => {
    assert.equal(refusalOf(input)?.[1], field)
  })
}

test('Each private member makes a key private, also alone in a key of any type', () => {
  const { n, e, kty, ...ofRsa } = rsa.privateKey.export({ format: 'jwk' }) as Jwk
  const members = { ...ofRsa, oth: [], k: 'AAAA' }
  assert.deepEqual(Object.keys(members).toSorted(), ['d', 'dp', 'dq', 'k', 'oth', 'p', 'q', 'qi'])
  const keys = Object.entries(members).map(([member, value]) => ({ ...RSA_KEY, [member]: value }))
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  for (const key of [...keys, ec, { kty: 'oct' }])
    assert.throws(() => parseClientMetadata(SERVER, withKeys({ ...key })), /public keys only/, JSON.stringify(key))
})

test('Public RSA, EC and Ed25519 keys are accepted, and a refusal of a private key does not repeat it', () => {
  assert.equal(refusalOf(withKeys(RSA_KEY, EC_KEY, ED_KEY)), undefined)
  const key = rsa.privateKey.export({ format: 'jwk' }) as Jwk
  assert.throws(
    () => parseClientMetadata(SERVER, withKeys(key)),
    ({ message }: Error) => !message.includes(String(key.d).slice(0, 8)),
  )
})
