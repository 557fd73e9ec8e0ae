import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { Answer } from '../support/client.ts'
import { createTestApp, payloadOf, type TestApp } from '../support/openid.ts'
import { askToken, basic, newCodeForm, postForm, refusalOf } from '../support/protocol.ts'
import { type Service, startService } from '../support/service.ts'
import { afterStatement } from '../support/statements.ts'
import { newMember, type TestMember } from '../support/users.ts'

const TOKEN = '/api/auth/oauth2/token'
const USERINFO = '/api/auth/oauth2/userinfo'
/** The origin of the redirect URI. */
const ORIGIN = 'https://app.example.com'

describe('Apps in a browser', () => {
  let service: Service
  let user: TestMember
  /** A public client, which has no secret. */
  let app: TestApp
  let prover: Prover
  before(async () => {
    service = await startService({ engine: 'sqlite' })
    user = await newMember(service)
    app = await createTestApp(service, { token_endpoint_auth_method: 'none' })
    prover = await createProver()
  })
  after(() => service.stop())

  type Prover = Awaited<ReturnType<typeof createProver>>

  /** A key in a browser, which signs DPoP proofs (RFC 9449). */
  async function createProver() {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const jwk = await exportJWK(publicKey)
    return {
      thumbprint: await calculateJwkThumbprint(jwk),
      prove: (path: string, claims: Record<string, unknown> = {}, htm = 'POST') =>
        new SignJWT({
          htm,
          htu: `${service.baseUrl}${path}`,
          jti: randomUUID(),
          iat: Math.floor(Date.now() / 1000),
          ...claims,
        })
          .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk })
          .sign(privateKey),
    }
  }

  const redeem = async (headers: Record<string, string> = {}, client: Pick<TestApp, 'id'> = app, parameters = {}) =>
    postForm(service, TOKEN, { ...(await newCodeForm(user, client, parameters)), client_id: client.id }, headers)
  const refresh = (refresh_token: string, headers: Record<string, string> = {}) =>
    postForm(service, TOKEN, { grant_type: 'refresh_token', refresh_token, client_id: app.id }, headers)
  const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url')

  async function userinfo(token: string, proof: string | undefined, scheme = 'DPoP'): Promise<number> {
    const headers = { authorization: `${scheme} ${token}`, ...(proof !== undefined && { dpop: proof }) }
    return (await fetch(new URL(USERINFO, service.baseUrl), { headers })).status
  }

  test('A token that is bound to a key works with a proof of this key only (RFC 9449)', async () => {
    const { body } = await redeem({ dpop: await prover.prove(TOKEN) })
    const token = body.access_token
    assert.equal(body.token_type, 'DPoP')
    assert.deepEqual(payloadOf(token).cnf, { jkt: prover.thumbprint })
    const stranger = await createProver()
    const ath = hashOf(token)
    assert.equal(await userinfo(token, await prover.prove(USERINFO, { ath }, 'GET')), 200)
    assert.equal(await userinfo(token, await stranger.prove(USERINFO, { ath }, 'GET')), 401)
    assert.equal(await userinfo(token, await prover.prove(USERINFO, { ath: hashOf('other') }, 'GET')), 401)
    assert.equal(await userinfo(token, await prover.prove(TOKEN, { ath }, 'GET')), 401)
    assert.equal(await userinfo(token, undefined), 400)
    assert.equal(await userinfo(token, undefined, 'Bearer'), 401)
  })

  test('A proof works once, for one method and address, and for five minutes', async () => {
    const proof = await prover.prove(TOKEN)
    assert.equal((await redeem({ dpop: proof })).status, 200)
    const minutes = 60 * 6
    const now = Math.floor(Date.now() / 1000)
    const refused = [
      proof,
      await prover.prove(USERINFO),
      await prover.prove(TOKEN, {}, 'GET'),
      await prover.prove(TOKEN, { iat: now - minutes }),
      await prover.prove(TOKEN, { iat: now + minutes }),
      await prover.prove(TOKEN, { jti: undefined }),
      'no proof',
    ]
    for (const dpop of refused) {
      assert.deepEqual(refusalOf(await redeem({ dpop })), [400, 'invalid_dpop_proof'])
    }
  })

  test('A refresh that is repeated with the same proof gets invalid_dpop_proof, and succeeds with a new one', async () => {
    const { body } = await redeem({ dpop: await prover.prove(TOKEN) })
    const dpop = await prover.prove(TOKEN)
    assert.equal((await refresh(body.refresh_token, { dpop })).status, 200)
    const repeated = await refresh(body.refresh_token, { dpop })
    assert.deepEqual(refusalOf(repeated), [400, 'invalid_dpop_proof'])
    assert.equal(repeated.headers.get('dpop-nonce'), null)
    // A retry in the millisecond of the first response would count as concurrent.
    service.advance(1)
    assert.equal((await refresh(body.refresh_token, { dpop: await prover.prove(TOKEN) })).status, 200)
  })

  test('A proof that is repeated at userinfo gets 401 invalid_dpop_proof (RFC 9449, section 7.1)', async () => {
    const { body } = await redeem({ dpop: await prover.prove(TOKEN) })
    const dpop = await prover.prove(USERINFO, { ath: hashOf(body.access_token) }, 'GET')
    const headers = { authorization: `DPoP ${body.access_token}`, dpop }
    const ask = () => fetch(new URL(USERINFO, service.baseUrl), { headers })
    assert.equal((await ask()).status, 200)
    const repeated = await ask()
    assert.equal(repeated.status, 401)
    assert.match(repeated.headers.get('www-authenticate') ?? '', /^DPoP .*error="invalid_dpop_proof"/)
    assert.match(await repeated.text(), /"error":"invalid_dpop_proof"/)
  })

  test('The refresh token of a browser app is bound to its key too', async () => {
    const { body } = await redeem({ dpop: await prover.prove(TOKEN) })
    const stranger = await createProver()
    assert.deepEqual(refusalOf(await refresh(body.refresh_token)), [400, 'invalid_dpop_proof'])
    const ofStranger = await refresh(body.refresh_token, { dpop: await stranger.prove(TOKEN) })
    assert.deepEqual(refusalOf(ofStranger), [400, 'invalid_grant'])
    const refreshed = await refresh(body.refresh_token, { dpop: await prover.prove(TOKEN) })
    assert.deepEqual([refreshed.status, refreshed.body.token_type], [200, 'DPoP'])
  })

  test('A refresh with a proof binds the refresh token of a browser app to the key', async () => {
    const stranger = await createProver()
    const { body } = await redeem()
    const { body: bound } = await refresh(body.refresh_token, { dpop: await prover.prove(TOKEN) })
    assert.equal(bound.token_type, 'DPoP')
    assert.deepEqual(refusalOf(await refresh(bound.refresh_token)), [400, 'invalid_dpop_proof'])
    const ofStranger = await refresh(bound.refresh_token, { dpop: await stranger.prove(TOKEN) })
    assert.deepEqual(refusalOf(ofStranger), [400, 'invalid_grant'])
    const refreshed = await refresh(bound.refresh_token, { dpop: await prover.prove(TOKEN) })
    assert.equal(refreshed.status, 200)
    assert.equal((await refresh(refreshed.body.refresh_token, { dpop: await stranger.prove(TOKEN) })).status, 400)
  })

  test('Of two concurrent refreshes with different keys, or one of them without, one gets a token', async (t) => {
    const stranger = await createProver()
    for (const [ofFirst, ofSecond] of [
      [undefined, prover],
      [prover, undefined],
      [prover, stranger],
    ]) {
      const { body } = await redeem()
      const send = async (by: Prover | undefined) => refresh(body.refresh_token, by && { dpop: await by.prove(TOKEN) })
      let first: Answer | undefined
      const step = async () => {
        first = await send(ofFirst)
      }
      // The second request has arrived before the response to the first.
      const second = await afterStatement(t, service, { matching: /from "oauthClients"/, step }, () => send(ofSecond))
      assert.deepEqual([first?.status, first?.body.token_type], [200, ofFirst ? 'DPoP' : 'Bearer'])
      assert.deepEqual(refusalOf(second), [400, 'invalid_grant'])
      const again = await refresh(first?.body.refresh_token, ofFirst && { dpop: await ofFirst.prove(TOKEN) })
      assert.equal(again.status, 200)
    }
  })

  test('A refresh with a proof does not bind the refresh token of a client with a secret, which may change its key', async () => {
    const confidential = await createTestApp(service)
    let { body } = await askToken(service, confidential, await newCodeForm(user, confidential))
    for (const { prove } of [prover, await createProver()]) {
      const headers = { ...basic(confidential), dpop: await prove(TOKEN) }
      const form = { grant_type: 'refresh_token', refresh_token: body.refresh_token }
      body = (await askToken(service, confidential, form, headers)).body
      assert.equal(body.token_type, 'DPoP')
    }
  })

  test('dpop_jkt binds the code to the key', async () => {
    const dpop_jkt = prover.thumbprint
    const stranger = await createProver()
    // Both use the code up.
    for (const headers of [{ dpop: await stranger.prove(TOKEN) }, {}])
      assert.deepEqual(refusalOf(await redeem(headers, app, { dpop_jkt })), [400, 'invalid_grant'])
    assert.equal((await redeem({ dpop: await prover.prove(TOKEN) }, app, { dpop_jkt })).status, 200)
  })

  test('A client that must use DPoP gets invalid_dpop_proof without a proof, and tokens with one', async () => {
    const strict = await createTestApp(service, { dpop_bound_access_tokens: true })
    const ask = (form: Record<string, string>, headers = {}) =>
      askToken(service, strict, form, { ...basic(strict), ...headers })
    async function askTwice(form: Record<string, string>) {
      const { status, body } = await ask(form)
      assert.deepEqual([status, body.error], [400, 'invalid_dpop_proof'])
      assert.match(body.error_description, /a DPoP proof is required/)
      const proved = await ask(form, { dpop: await prover.prove(TOKEN) })
      assert.deepEqual([proved.status, proved.body.token_type], [200, 'DPoP'])
      return proved.body.refresh_token
    }
    const refresh_token = await askTwice(await newCodeForm(user, strict))
    await askTwice({ grant_type: 'refresh_token', refresh_token })
    await askTwice({ grant_type: 'client_credentials' })
  })

  test('A page on the origin of a redirect URI may call the token endpoint, and another page may not', async () => {
    const allowed = await redeem({ origin: ORIGIN })
    assert.equal(allowed.status, 200)
    assert.equal(allowed.headers.get('access-control-allow-origin'), ORIGIN)
    assert.equal(allowed.headers.get('access-control-allow-credentials'), null)
    // The check of origins skips this route, because CORS depends on the OAuth client.
    assert.equal((await redeem({ origin: ORIGIN, cookie: `session=${user.token}` })).status, 200)
    const refused = await redeem({ origin: 'https://evil.example' })
    assert.deepEqual([refused.status, refused.body.access_token], [400, undefined])
    assert.equal(refused.headers.get('access-control-allow-origin'), null)
    const own = await redeem({ origin: service.baseUrl })
    assert.equal(own.headers.get('access-control-allow-credentials'), null)
  })

  test('A page on loopback may call the token endpoint on any port, as the redirect URI of a native app may have any', async () => {
    const metadata = {
      token_endpoint_auth_method: 'none' as const,
      application_type: 'native' as const,
      redirect_uris: ['http://localhost:5173/callback'],
    }
    const [local, web] = [await createTestApp(service, metadata), app]
    for (const [{ id }, origin, isAllowed] of [
      [local, 'http://localhost:5173', true],
      [local, 'http://localhost:5174', true],
      [local, 'http://localhost', true],
      [local, 'http://127.0.0.1:5173', false],
      [local, 'https://localhost:5173', false],
      [local, 'http://localhost.evil.example:5173', false],
      [web, 'http://localhost:5173', false],
      [web, `${ORIGIN}:8443`, false],
    ] as const) {
      const form = { grant_type: 'refresh_token', refresh_token: 'unknown', client_id: id }
      const { headers } = await postForm(service, TOKEN, form, { origin })
      assert.equal(headers.get('access-control-allow-origin'), isAllowed ? origin : null, origin)
    }
  })

  test('The token endpoint has no CORS headers for a client with a secret or a native scheme', async () => {
    const native = {
      token_endpoint_auth_method: 'none' as const,
      application_type: 'native' as const,
      redirect_uris: ['com.example.app:/callback'],
    }
    for (const [metadata, origin] of [
      [{}, ORIGIN],
      [native, 'null'],
    ] as const) {
      const { id } = await createTestApp(service, metadata)
      const form = { grant_type: 'refresh_token', refresh_token: 'unknown', client_id: id }
      const { headers } = await postForm(service, TOKEN, form, { origin })
      assert.equal(headers.get('access-control-allow-origin'), null)
    }
  })

  test('userinfo may be read on any origin of the client, with a header and without cookies', async () => {
    const { body } = await redeem()
    const read = async (origin: string) => {
      const headers = { authorization: `Bearer ${body.access_token}`, origin }
      const response = await fetch(new URL(USERINFO, service.baseUrl), { headers })
      return [response.status, response.headers.get('access-control-allow-origin')]
    }
    assert.deepEqual(await read(ORIGIN), [200, ORIGIN])
    assert.equal((await read('https://evil.example'))[1], null)
  })

  test('A preflight allows the methods and headers of these endpoints, and no credentials', async () => {
    for (const path of [TOKEN, USERINFO, '/api/auth/oauth2/revoke', '/.well-known/openid-configuration']) {
      const response = await fetch(new URL(path, service.baseUrl), {
        method: 'OPTIONS',
        headers: {
          origin: ORIGIN,
          'access-control-request-method': path.startsWith('/.') ? 'GET' : 'POST',
          'access-control-request-headers': 'authorization,dpop',
        },
      })
      assert.equal(response.status, 204, path)
      assert.ok(response.headers.get('access-control-allow-origin'), path)
      assert.match(response.headers.get('access-control-allow-headers') ?? '', /dpop/i)
      assert.equal(response.headers.get('access-control-allow-credentials'), null)
    }
  })
})
