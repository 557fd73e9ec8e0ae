import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { CONNECT_A_SERVICE } from '../support/examples.ts'
import { createTestApp, type TestApp } from '../support/openid.ts'
import { postForm, refusalOf } from '../support/protocol.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { onEachDatabase } from '../support/service.ts'

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

onEachDatabase('private_key_jwt', (service) => {
  /** A machine with a key of its own. */
  async function openScene(alg: 'RS256' | 'ES256' | 'Ed25519' | 'EdDSA', jwks_uri?: string) {
    const { privateKey, publicKey } = await generateKeyPair(alg)
    const jwk = { ...(await exportJWK(publicKey)), kid: 'key-1', use: 'sig', alg }
    const app = await createTestApp(
      service(),
      {
        token_endpoint_auth_method: 'private_key_jwt',
        // The other algorithms of these tests have two names.
        ...((alg === 'RS256' || alg === 'ES256') && { token_endpoint_auth_signing_alg: alg }),
        ...(jwks_uri === undefined ? { jwks: { keys: [jwk] } } : { jwks_uri }),
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
      { secretHash: null },
    )
    const sign = (claims: Record<string, unknown> = {}, header = {}, key = privateKey) => {
      const now = Math.floor(Date.now() / 1000)
      return new SignJWT({
        iss: app.id,
        sub: app.id,
        aud: service().baseUrl,
        iat: now,
        exp: now + 60,
        jti: randomUUID(),
        ...claims,
      })
        .setProtectedHeader({ alg, kid: 'key-1', ...header })
        .sign(key)
    }
    return { app, jwk, sign }
  }
  const ask = ({ id }: Pick<TestApp, 'id'>, client_assertion: string) =>
    postForm(service(), '/api/auth/oauth2/token', {
      grant_type: 'client_credentials',
      client_id: id,
      client_assertion_type: ASSERTION_TYPE,
      client_assertion,
    })

  for (const alg of ['RS256', 'ES256'] as const)
    test(`A client authenticates with an assertion in ${alg}, which works once`, async () => {
      const { app, sign } = await openScene(alg)
      const assertion = await sign()
      const { status, body } = await ask(app, assertion)
      assert.deepEqual([status, body.token_type], [200, 'Bearer'])
      assert.deepEqual(refusalOf(await ask(app, assertion)), [401, 'invalid_client'])
      assert.equal((await ask(app, await sign({ aud: `${service().baseUrl}/api/auth/oauth2/token` }))).status, 200)
    })

  test('An assertion in Ed25519 verifies with a key whose alg is EdDSA, its former name, and the other way round', async () => {
    for (const [name, other] of [
      ['EdDSA', 'Ed25519'],
      ['Ed25519', 'EdDSA'],
    ] as const) {
      const { app, sign } = await openScene(name)
      for (const alg of [name, other]) assert.equal((await ask(app, await sign({}, { alg }))).status, 200, name)
      assert.deepEqual(refusalOf(await ask(app, await sign({}, { kid: 'other' }))), [401, 'invalid_client'])
    }
  })

  test('An assertion may expire at a fraction of a second, and within an hour', async () => {
    const { app, sign } = await openScene('ES256')
    const now = Date.now() / 1000
    const assertion = await sign({ exp: Math.floor(now) + 60.123456 })
    assert.equal((await ask(app, assertion)).status, 200)
    assert.deepEqual(refusalOf(await ask(app, assertion)), [401, 'invalid_client'])
    for (const exp of [now + 2 * 3_600, 1e17, 1e300])
      assert.deepEqual(refusalOf(await ask(app, await sign({ exp }))), [401, 'invalid_client'], String(exp))
  })

  test('A refused assertion is described in the words that docs/connect-a-service.md explains', async () => {
    const { app, sign } = await openScene('ES256')
    const now = Math.floor(Date.now() / 1000)
    assert.equal((await ask(app, await sign({ nbf: now + 12 }))).status, 200)
    for (const [words, assertion] of [
      ['jwt not active yet', await sign({ nbf: now + 30 })],
      ['jwt expired', await sign({ exp: now - 30 })],
      ['no applicable key found in the JSON Web Key Set', await sign({}, { kid: 'other' })],
      ['alg mismatch', await (await openScene('RS256')).sign({ iss: app.id, sub: app.id })],
    ] as const) {
      const { status, body } = await ask(app, assertion)
      assert.deepEqual([status, body.error, body.error_description], [401, 'invalid_client', words])
      assert.ok(CONNECT_A_SERVICE.replaceAll(/\s+/g, ' ').includes(`“${words}”`), words)
    }
  })

  test('Of twenty concurrent uses of one assertion, one succeeds', async () => {
    const { app, sign } = await openScene('ES256')
    const assertion = await sign()
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(app, assertion)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })

  test('An assertion for another audience or client, without an end, or by another key is refused', async () => {
    const { app, sign } = await openScene('ES256')
    const other = await openScene('ES256')
    const { privateKey } = await generateKeyPair('ES256')
    const now = Math.floor(Date.now() / 1000)
    const assertions = [
      await sign({ aud: 'https://other.example.com' }),
      await sign({ iss: other.app.id }),
      await sign({ sub: other.app.id }),
      await sign({ exp: now - 60 }),
      await sign({ exp: undefined }),
      await sign({ jti: undefined }),
      await sign({ nbf: now + 300 }),
      await sign({}, {}, privateKey),
      await other.sign({ iss: app.id, sub: app.id }),
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await sign()).split('.')[1]}.`,
      'no assertion',
    ]
    for (const assertion of assertions) {
      const [status, error] = refusalOf(await ask(app, assertion))
      assert.ok([400, 401].includes(status) && ['invalid_client', 'invalid_request'].includes(error), error)
    }
  })

  test('An assertion for another server is refused, also when the request target names this server', async () => {
    const { app, sign } = await openScene('ES256')
    const { baseUrl, config } = service()
    const path = '/api/auth/oauth2/token'
    const send = async (server: string) => {
      const form = {
        grant_type: 'client_credentials',
        client_assertion_type: ASSERTION_TYPE,
        client_assertion: await sign({ aud: `${server}${path}` }),
      }
      const body = String(new URLSearchParams({ client_id: app.id, ...form }))
      const head = [
        `POST ${server}${path} HTTP/1.1`,
        `host: ${new URL(baseUrl).host}`,
        'content-type: application/x-www-form-urlencoded',
        `content-length: ${body.length}`,
      ]
      const connection = await RawConnection.open(config.port)
      const [answer] = await connection.send(`${head.join('\r\n')}\r\n\r\n${body}`).read()
      connection.socket.destroy()
      return answer?.status
    }
    for (const server of ['http://other.example.com', 'HTTPS://other.example.com'])
      assert.equal(await send(server), 401, server)
    assert.equal(await send(baseUrl), 200)
  })

  test('A client with a key has no secret, and one with a secret no key', async () => {
    const { app, sign } = await openScene('ES256')
    const form = { grant_type: 'client_credentials', client_id: app.id }
    for (const more of [{}, { client_secret: '' }, { client_secret: 'undefined' }])
      assert.deepEqual(refusalOf(await postForm(service(), '/api/auth/oauth2/token', { ...form, ...more })), [
        401,
        'invalid_client',
      ])
    const withSecret = await createTestApp(service())
    const assertion = await sign({ iss: withSecret.id, sub: withSecret.id })
    assert.deepEqual(refusalOf(await ask(withSecret, assertion)), [401, 'invalid_client'])
  })

  test('The keys of a jwks_uri are fetched, and a client whose address gives none is refused with a sentence', async (t) => {
    let keys: object[] = []
    const server = createServer((_request, response) => response.end(JSON.stringify({ keys }))).listen(0, '127.0.0.1')
    t.after(() => server.close().closeAllConnections())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { app, jwk, sign } = await openScene('ES256', `http://127.0.0.1:${port}/jwks`)
    keys = [jwk]
    assert.equal((await ask(app, await sign())).status, 200)
    const signer = await openScene('EdDSA', `http://127.0.0.1:${port}/other`)
    keys = [signer.jwk]
    assert.equal((await ask(signer.app, await signer.sign({}, { alg: 'Ed25519' }))).status, 200)
    for (const uri of ['http://10.0.0.1/jwks', 'http://127.0.0.1:1/jwks']) {
      const silent = await openScene('ES256', uri)
      assert.deepEqual(refusalOf(await ask(silent.app, await silent.sign())), [401, 'invalid_client'])
    }
  })
})
