import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calculatePKCECodeChallenge } from 'openid-client'
import { authorizationRequest, createTestApp, locationOf } from '../support/openid.ts'
import { askToken, newCodeForm, postForm } from '../support/protocol.ts'
import { onEachDatabase } from '../support/service.ts'
import { askUserinfo, introspect, refresh } from '../support/token-requests.ts'
import { newMember, type TestUser } from '../support/users.ts'

onEachDatabase('Codes', (service) => {
  /** The details of the audit events of replayed codes. */
  async function replaysOf(user: TestUser): Promise<string[]> {
    const { database } = service().context
    const rows = await database
      .selectFrom('auditEvents')
      .select('details')
      .where('subjectId', '=', user.id)
      .where('action', '=', 'oauth-code.replayed')
      .execute()
    return rows.map(({ details }) => details)
  }

  test('CVE-2023-48228, CVE-2024-23647: a code without its PKCE verifier, or with another one, is refused and stays valid', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const { code_verifier: codeVerifier = '', ...withoutVerifier } = await newCodeForm(user, app)
    const challenge = await calculatePKCECodeChallenge(codeVerifier)
    for (const wrong of [undefined, '', challenge, codeVerifier.toUpperCase(), `${codeVerifier}A`, 'a'.repeat(43)]) {
      const parameters = { ...withoutVerifier, ...(wrong !== undefined && { code_verifier: wrong }) }
      const { status, body } = await askToken(service(), app, parameters)
      assert.deepEqual([status, body.error], [400, 'invalid_grant'], `${wrong}`)
    }
    const redeemed = await askToken(service(), app, { ...withoutVerifier, code_verifier: codeVerifier })
    assert.equal(redeemed.status, 200)
  })

  test('CVE-2024-23647: an authorization request without code_challenge, or with the method plain, gives no code', async () => {
    const { client } = await newMember(service())
    const app = await createTestApp(service())
    for (const parameters of [
      { code_challenge: undefined, code_challenge_method: undefined },
      { code_challenge: undefined },
      { code_challenge_method: 'plain' },
      { code_challenge_method: undefined },
      { code_challenge: 'short' },
    ]) {
      const location = locationOf(await client.get((await authorizationRequest(app, parameters)).path))
      assert.equal(location.searchParams.get('error'), 'invalid_request', `${JSON.stringify(parameters)} ${location}`)
      assert.equal(location.searchParams.get('code'), null)
    }
  })

  test('Code injection: a code of another client, or with another redirect URI, is refused and stays valid', async () => {
    const user = await newMember(service())
    const uris = ['https://app.example.com/callback', 'https://app.example.com/other']
    const [app, other] = [await createTestApp(service(), { redirect_uris: uris }), await createTestApp(service())]
    const publicApp = await createTestApp(service(), { token_endpoint_auth_method: 'none' })
    const code = await newCodeForm(user, app)
    const refused = [
      await askToken(service(), other, code),
      await postForm(service(), '/api/auth/oauth2/token', { ...code, client_id: publicApp.id }),
      await askToken(service(), app, { ...code, redirect_uri: uris[1] ?? '' }),
      await askToken(service(), app, { ...code, redirect_uri: 'https://app.example.com/callback/' }),
    ]
    for (const { status, body } of refused) assert.deepEqual([status, body.error], [400, 'invalid_grant'])
    const withoutSecret = await postForm(service(), '/api/auth/oauth2/token', { ...code, client_id: app.id })
    assert.deepEqual([withoutSecret.status, withoutSecret.body.error], [401, 'invalid_client'])
    const without = await askToken(service(), app, { ...code, redirect_uri: '' })
    assert.deepEqual([without.status, without.body.error], [400, 'invalid_request'])
    assert.equal((await askToken(service(), app, code)).status, 200)
  })

  test('oidcc-codereuse, oidcc-codereuse-30seconds: a replayed code revokes its tokens, and is audited, also after its expiry', async () => {
    const app = await createTestApp(service())
    for (const milliseconds of [0, 31_000, 600_000]) {
      const user = await newMember(service())
      const code = await newCodeForm(user, app)
      const { body: tokens } = await askToken(service(), app, code)
      service().advance(milliseconds + 10)
      assert.equal((await introspect(service(), app, tokens.access_token)).body.active, true)
      const replayed = await askToken(service(), app, code)
      assert.deepEqual([replayed.status, replayed.body.error], [400, 'invalid_grant'])
      assert.deepEqual((await introspect(service(), app, tokens.access_token)).body, { active: false })
      assert.equal((await askUserinfo(service(), tokens.access_token)).status, 401)
      assert.equal((await refresh(service(), app, tokens.refresh_token)).body.error, 'invalid_grant')
      assert.deepEqual(await replaysOf(user), [JSON.stringify({ clientId: app.id })])
    }
  })

  test('A code that another client replays revokes nothing', async () => {
    const user = await newMember(service())
    const [app, other] = [await createTestApp(service()), await createTestApp(service())]
    const code = await newCodeForm(user, app)
    const { body: tokens } = await askToken(service(), app, code)
    service().advance(10)
    assert.equal((await askToken(service(), other, code)).body.error, 'invalid_grant')
    assert.equal((await introspect(service(), app, tokens.access_token)).body.active, true)
  })

  test('A refresh token of another client is refused, also when it was used before, and revokes nothing', async () => {
    const user = await newMember(service())
    const [app, other] = [await createTestApp(service()), await createTestApp(service())]
    const { body: tokens } = await askToken(service(), app, await newCodeForm(user, app))
    assert.equal((await refresh(service(), other, tokens.refresh_token)).body.error, 'invalid_grant')
    const { body: second } = await refresh(service(), app, tokens.refresh_token)
    service().advance(31_000)
    assert.equal((await refresh(service(), other, tokens.refresh_token)).body.error, 'invalid_grant')
    assert.equal((await refresh(service(), app, second.refresh_token)).status, 200)
  })

  test('A refresh gives no scope and no resource that the user did not allow', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const allowed = { scope: 'openid profile', resource: 'https://api.example.com' }
    const { body: tokens } = await askToken(service(), app, await newCodeForm(user, app, allowed))
    const attempts: [Record<string, string>, string][] = [
      [{ scope: 'openid organization' }, 'invalid_scope'],
      [{ scope: 'openid email' }, 'invalid_scope'],
      [{ resource: 'https://other.example.com' }, 'invalid_target'],
      [{ resource: 'not a url' }, 'invalid_target'],
    ]
    for (const [more, error] of attempts) {
      assert.equal((await refresh(service(), app, tokens.refresh_token, more)).body.error, error, JSON.stringify(more))
      // The clock moves, because a request in the millisecond of the last answer is refused as a concurrent one.
      service().advance(1)
    }
    const { status, body } = await refresh(service(), app, tokens.refresh_token)
    assert.deepEqual([status, body.scope], [200, 'openid profile'])
  })
})
