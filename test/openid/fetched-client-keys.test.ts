import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { createTestApp, type TestApp } from '../support/openid.ts'
import { postForm, refusalOf } from '../support/protocol.ts'
import { secondProcess } from '../support/second-process.ts'
import { onEachDatabase, type Service } from '../support/service.ts'

const REFUSED = [401, 'invalid_client']

/** A client's server, which publishes keys. */
interface KeyServer {
  url: string
  keys: unknown[]
  headers: Record<string, string>
  status: number
  requestCount: number
}

onEachDatabase('The jwks_uri of a client', (service) => {
  const second = secondProcess(service)

  async function startKeyServer(t: TestContext): Promise<KeyServer> {
    const state: KeyServer = { url: '', keys: [], headers: {}, status: 200, requestCount: 0 }
    const server = createServer((_request, response) => {
      state.requestCount += 1
      response.writeHead(state.status, state.headers).end(JSON.stringify({ keys: state.keys }))
    }).listen(0, '127.0.0.1')
    t.after(() => server.close().closeAllConnections())
    await once(server, 'listening')
    state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`
    return state
  }

  async function newKey(kid: string) {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'ES256' } }
  }
  type Key = Awaited<ReturnType<typeof newKey>>

  const createMachine = (jwks_uri: string) =>
    createTestApp(
      service(),
      {
        token_endpoint_auth_method: 'private_key_jwt',
        jwks_uri,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
      { secretHash: null },
    )

  async function authenticate({ id }: Pick<TestApp, 'id'>, { kid, privateKey }: Key, process: Service = service()) {
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: id, sub: id, aud: process.baseUrl, exp: now + 60, jti: randomUUID() }
    const client_assertion = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey)
    return postForm(process, '/api/auth/oauth2/token', {
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion,
    })
  }

  /** A machine whose first key has authenticated in both processes. */
  async function openScene(t: TestContext, headers: Record<string, string> = {}) {
    const server = await startKeyServer(t)
    const first = await newKey('first')
    Object.assign(server, { keys: [first.jwk], headers })
    const app = await createMachine(server.url)
    const processes = [service(), await second()]
    for (const process of processes) assert.equal((await authenticate(app, first, process)).status, 200)
    return { server, first, app, processes }
  }

  async function advance(milliseconds: number) {
    service().advance(milliseconds)
    await second()
  }

  test('A key that was removed is refused in every process after a minute, whatever cache-control says', async (t) => {
    const { server, first, app, processes } = await openScene(t, { 'cache-control': 'max-age=86400' })
    const next = await newKey('next')
    server.keys = [next.jwk]
    await advance(20_000)
    for (const process of processes) assert.equal((await authenticate(app, first, process)).status, 200)
    await advance(40_000)
    for (const process of processes) {
      assert.deepEqual(refusalOf(await authenticate(app, first, process)), REFUSED)
      assert.equal((await authenticate(app, next, process)).status, 200)
    }
    assert.equal(server.requestCount, 4)
  })

  test('A key that was removed is refused earlier when max-age is shorter than a minute', async (t) => {
    const { server, first, app, processes } = await openScene(t, { 'cache-control': 'private, max-age=10' })
    server.keys = []
    await advance(10_000)
    for (const process of processes) assert.deepEqual(refusalOf(await authenticate(app, first, process)), REFUSED)
  })

  test('Keys are refused with a sentence while the address gives none, and accepted again five seconds later', async (t) => {
    const { server, first, app } = await openScene(t)
    const { keys } = server
    for (const broken of [
      { status: 503 },
      { keys: undefined },
      { keys: Array.from({ length: 21 }, () => first.jwk) },
    ]) {
      Object.assign(server, broken)
      await advance(60_000)
      const { status, body } = await authenticate(app, first)
      assert.deepEqual([status, body.error], REFUSED)
      assert.match(body.error_description, /jwks_uri/)
      Object.assign(server, { status: 200, keys })
      await advance(5_000)
      assert.equal((await authenticate(app, first)).status, 200)
    }
  })

  test('Assertions by wrong keys cause one request to the address in a minute, also those of several clients', async (t) => {
    const server = await startKeyServer(t)
    const wrong = await newKey('wrong')
    const app = await createMachine(server.url)
    const other = await createMachine(server.url)
    for (const milliseconds of [0, 20_000]) {
      await advance(milliseconds)
      const answers = Array.from({ length: 10 }, (_, index) => authenticate(index % 2 ? app : other, wrong))
      for (const answer of await Promise.all(answers)) assert.deepEqual(refusalOf(answer), REFUSED)
      assert.equal(server.requestCount, 1)
    }
  })

  test('A key for another purpose beside a usable one, and a clock that is set back, disturb nothing', async (t) => {
    const { server, first, app } = await openScene(t)
    server.keys = [{ kty: 'oct', k: 'AAAA' }, 'no key', null, { ...first.jwk, kid: 5 }, first.jwk]
    // By the clock of the service, an assertion must expire within an hour.
    await advance(-1_800_000)
    assert.equal((await authenticate(app, first)).status, 200)
    assert.equal(server.requestCount, 3)
    await advance(1_800_000)
  })

  test('Introspection by another client needs no keys of a client whose address is away', async (t) => {
    const { server, first, app } = await openScene(t)
    const { body } = await authenticate(app, first)
    server.status = 503
    await advance(60_000)
    const otherServer = await startKeyServer(t)
    const otherKey = await newKey('other')
    otherServer.keys = [otherKey.jwk]
    const other = await createMachine(otherServer.url)
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: other.id, sub: other.id, aud: service().baseUrl, exp: now + 60, jti: randomUUID() }
    const client_assertion = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'other' })
      .sign(otherKey.privateKey)
    const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
    const form = { token: body.access_token, client_assertion, client_assertion_type }
    const answer = await postForm(service(), '/api/auth/oauth2/introspect', form)
    assert.deepEqual([answer.status, answer.body.active], [200, true])
  })
})
