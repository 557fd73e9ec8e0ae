import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLIENT_ENDS, type EndScene, newEndScene, SESSION_ENDS } from '../support/endings.ts'
import { createTestApp, payloadOf, type TestApp } from '../support/openid.ts'
import { askToken, newCodeForm } from '../support/protocol.ts'
import { secondProcess } from '../support/second-process.ts'
import { onEachDatabase } from '../support/service.ts'
import { askUserinfo, exchange, introspect, refresh, revoke } from '../support/token-requests.ts'

const JWT = { subject_token_type: 'urn:ietf:params:oauth:token-type:jwt' }
const { 'oauth2/client/rotate-secret': _, ...ENDS_OF_CLIENT } = CLIENT_ENDS

onEachDatabase('Endings of exchanged tokens', (service) => {
  const second = secondProcess(service)
  let clients: Promise<TestApp[]> | undefined
  /** Three services that exchange tokens. */
  const openClients = () => {
    clients ??= Promise.all([0, 1, 2].map(() => createTestApp(service())))
    return clients
  }

  async function exchanged(client: TestApp, token: string, more = {}): Promise<string> {
    const { status, body } = await exchange(service(), client, token, more)
    assert.equal(status, 200, JSON.stringify(body))
    return body.access_token
  }

  /**
   * The tokens of two services: the first exchanges the token of the user, the second exchanges the token of the first.
   */
  async function passOn(token: string, more = {}, first?: TestApp): Promise<string[]> {
    const [one, two] = await openClients()
    assert.ok(one && two)
    const next = await exchanged(first ?? one, token, more)
    return [next, await exchanged(two, next)]
  }

  async function isActive(token: string): Promise<boolean> {
    const [, , watcher] = await openClients()
    assert.ok(watcher)
    const { active } = (await introspect(service(), watcher, token)).body
    const again = await exchange(service(), watcher, token)
    assert.equal(again.status, active ? 200 : 400, JSON.stringify(again.body))
    assert.equal((await askUserinfo(service(), token)).status, active ? 200 : 401)
    return active
  }

  async function assertActive(tokens: string[], expected: boolean, name: string): Promise<void> {
    for (const [index, token] of tokens.entries())
      assert.equal(await isActive(token), expected, `token ${index} after ${name}`)
  }

  /** @param probes the tokens that are used before the end, as controls */
  async function assertEnds(
    tokens: string[],
    name: string,
    end: () => Promise<unknown>,
    probes = tokens,
  ): Promise<void> {
    await assertActive(probes, true, 'the exchange')
    await end()
    await assertActive(tokens, false, name)
  }

  const newScene = async (app: TestApp) => newEndScene(service(), await second(), app)
  const signIn = async ({ user, app }: EndScene) => (await askToken(service(), app, await newCodeForm(user, app))).body
  const tokenOf = async ({ user }: EndScene): Promise<string> =>
    (await user.client.get(`/api/token?org=${user.organization.slug}`)).body.token

  test('Every end of a session, in another process, ends the tokens from exchanges of its tokens', async () => {
    const app = await createTestApp(service())
    for (const [index, [name, end]] of Object.entries(SESSION_ENDS).entries()) {
      const scene = await newScene(app)
      const { access_token } = await signIn(scene)
      const organization = scene.user.organization.slug
      const tokens = [
        ...(await passOn(access_token)),
        ...(await passOn(scene.user.token, { organization })),
        ...(await passOn(await tokenOf(scene), JWT)),
      ]
      // Each token was exchanged a moment before, so the first scene is control enough for the others.
      await assertEnds(tokens, name, () => end(scene), index === 0 ? tokens : tokens.slice(-1))
    }
  })

  test('An end of the membership ends the tokens from exchanges of its tokens, also without the scope organization', async () => {
    const app = await createTestApp(service())
    for (const name of ['organization/leave', 'a policy of the organization']) {
      const scene = await newScene(app)
      const { access_token } = await signIn(scene)
      const tokens = [
        ...(await passOn(access_token, { scope: 'openid' })),
        ...(await passOn(await tokenOf(scene), { ...JWT, scope: 'openid' })),
      ]
      await assertEnds(tokens, name, async () => SESSION_ENDS[name]?.(scene))
    }
  })

  test('Every end of an app ends the tokens from exchanges of its tokens, and no other tokens', async () => {
    for (const [name, end] of Object.entries(ENDS_OF_CLIENT)) {
      const scene = await newScene(await createTestApp(service()))
      const { access_token } = await signIn(scene)
      const others = await passOn(await tokenOf(scene), JWT)
      await assertEnds(await passOn(access_token), name, () => end(scene))
      await assertActive(others, true, name)
    }
  })

  test('Every end of a service ends its tokens from exchanges, also of tokens of /api/token, and the tokens from exchanges of these', async () => {
    for (const [name, end] of Object.entries(ENDS_OF_CLIENT)) {
      const scene = await newScene(await createTestApp(service()))
      const { access_token } = await signIn({ ...scene, app: await createTestApp(service()) })
      const tokens = [
        ...(await passOn(await tokenOf(scene), JWT, scene.app)),
        ...(await passOn(access_token, {}, scene.app)),
      ]
      await assertEnds(tokens, name, () => end(scene))
      assert.equal(await isActive(access_token), true)
    }
  })

  test('The revocation of a token, a replayed code and a stolen refresh token end the tokens from exchanges of the token', async () => {
    const app = await createTestApp(service())
    const scene = await newScene(app)
    const steal = async (token: string) => {
      for (const one of [token, token]) await refresh(service(), app, one)
      service().advance(31_000)
      await refresh(service(), app, token)
    }
    for (const [name, end] of Object.entries({
      'revoked access token': ({ access_token = '' }) => revoke(service(), app, access_token),
      'revoked refresh token': ({ refresh_token = '' }) => revoke(service(), app, refresh_token),
      'stolen refresh token': ({ refresh_token = '' }) => steal(refresh_token),
    } as Record<string, (given: Record<string, string>) => Promise<unknown>>)) {
      const tokens = await signIn(scene)
      await assertEnds(await passOn(tokens.access_token ?? ''), name, () => end(tokens))
    }
    const code = await newCodeForm(scene.user, app)
    const { body } = await askToken(service(), app, code)
    await assertEnds(await passOn(body.access_token), 'replayed code', () => askToken(service(), app, code))
  })

  test('A service that revokes its token from an exchange ends the tokens from exchanges of that token, and not the subject token', async () => {
    const [one] = await openClients()
    assert.ok(one)
    const scene = await newScene(await createTestApp(service()))
    const { access_token } = await signIn(scene)
    for (const [token, more] of [
      [access_token, {}],
      [await tokenOf(scene), JWT],
    ] as const) {
      const tokens = await passOn(token, more)
      await assertEnds(tokens, 'revocation', () => revoke(service(), one, tokens[0] ?? ''))
    }
    assert.equal(await isActive(access_token), true)
  })

  test('A refresh and a new sign-in at the app end no exchanged token', async () => {
    const scene = await newScene(await createTestApp(service()))
    const { access_token, refresh_token } = await signIn(scene)
    const tokens = await passOn(access_token)
    assert.equal((await refresh(service(), scene.app, refresh_token)).status, 200)
    await signIn(scene)
    await assertActive(tokens, true, 'refresh')
  })

  test('The jti of an exchanged token names its own grant first, and then those of its subject', async () => {
    const scene = await newScene(await createTestApp(service()))
    const { access_token } = await signIn(scene)
    const [first = '', next = ''] = await passOn(access_token)
    const grantsIn = (token: string) => String(payloadOf(token).jti).split('.').slice(0, -1)
    assert.deepEqual(grantsIn(first).slice(1), grantsIn(access_token))
    assert.deepEqual(grantsIn(next).slice(1), grantsIn(first))
    assert.equal(grantsIn(next).length, 3)
  })
})
