import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { deleteExpiredArtifacts } from '../../server/features/openid/adapters/store.ts'
import { bearerClient } from '../support/bearer-client.ts'
import type { Answer } from '../support/client.ts'
import { authorizationRequest, createTestApp, locationOf, type TestApp } from '../support/openid.ts'
import { askToken, basic, codeForm, newCodeForm, postForm } from '../support/protocol.ts'
import { secondProcess } from '../support/second-process.ts'
import { onEachDatabase, type Service } from '../support/service.ts'
import { exchange, introspect, refresh } from '../support/token-requests.ts'
import { administrator, newMember, type TestMember } from '../support/users.ts'
import { whenServed } from '../support/when-served.ts'

const AUTH = '/api/auth'
const REQUESTS = 20

onEachDatabase('Races over two processes', (service) => {
  const start = secondProcess(service)
  /** The second process. It has the address of the first process, as behind one load balancer. */
  const second = async () => {
    const other = await start()
    Object.assign(other.config, { baseUrl: service().baseUrl })
    return other
  }

  /** Sends many concurrent requests, alternately to both processes. */
  async function race(send: (process: Service, index: number) => Promise<Answer>, count = REQUESTS): Promise<Answer[]> {
    const processes = [service(), await second()]
    const answers = await Promise.all(
      Array.from({ length: count }, (_, index) => send(processes[index % 2] as Service, index)),
    )
    for (const { status, body } of answers) assert.ok(status < 500, JSON.stringify(body))
    return answers
  }
  const winners = (answers: Answer[]) => answers.filter(({ status }) => status < 400)
  const losers = (answers: Answer[]) => answers.filter(({ status }) => status >= 400)

  async function assertAlive(app: TestApp, { body }: Answer): Promise<Answer> {
    assert.equal((await introspect(service(), app, body.refresh_token)).body.active, true)
    const next = await refresh(service(), app, body.refresh_token)
    assert.equal(next.status, 200, JSON.stringify(next.body))
    return next
  }

  async function liveRefreshTokens(user: TestMember, app: TestApp): Promise<number> {
    const rows = await service()
      .context.database.selectFrom('oauthArtifacts')
      .innerJoin('oauthGrants', 'oauthGrants.id', 'oauthArtifacts.grantId')
      .select('idHash')
      .where('userId', '=', user.id)
      .where('oauthArtifacts.clientId', '=', app.id)
      .where('kind', '=', 'RefreshToken')
      .where('consumedAt', 'is', null)
      .execute()
    return rows.length
  }
  async function audited(user: TestMember): Promise<string[]> {
    const events = service().context.database.selectFrom('auditEvents').select('action')
    return (await events.where('subjectId', '=', user.id).execute()).map(({ action }) => action)
  }

  test('Of 20 concurrent redemptions of one code, one succeeds', async () => {
    const app = await createTestApp(service())
    for (let round = 0; round < 2; round += 1) {
      const user = await newMember(service())
      const code = await newCodeForm(user, app)
      const answers = await race((process) => askToken(process, app, code))
      const [winner, ...others] = winners(answers)
      assert.equal(others.length, 0)
      assert.ok(winner)
      const isRevoked = (await audited(user)).includes('oauth-code.replayed')
      // A request that arrives after the redemption is a replay, which revokes the tokens.
      if (!isRevoked) await assertAlive(app, winner)
    }
  })

  test('GHSA-m2w5-7xhv-w6fh: of 20 refreshes of one token one chain stays, and no family is revoked', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    let { body: tokens } = await askToken(service(), app, await newCodeForm(user, app))
    for (let round = 0; round < 2; round += 1) {
      const send = (process: Service) => whenServed(() => refresh(process, app, tokens.refresh_token))
      const answers = winners(await race(send))
      assert.equal(await liveRefreshTokens(user, app), 1)
      const states = await Promise.all(answers.map(({ body }) => introspect(service(), app, body.refresh_token)))
      const alive = answers.filter((_answer, index) => states[index]?.body.active)
      assert.equal(new Set(alive.map(({ body }) => body.refresh_token)).size, 1)
      tokens = (await assertAlive(app, alive[0] as Answer)).body
    }
    assert.ok(!(await audited(user)).includes('oauth-refresh.reused'))
  })

  test('Of 20 polls with one approved device code one succeeds, and approve and deny exclude each other', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
    for (let round = 0; round < 2; round += 1) {
      const { body } = await postForm(service(), `${AUTH}/device/code`, { scope: 'openid' }, basic(app))
      const answered = await race(
        (process, index) =>
          bearerClient(process, user).post(`${AUTH}/device/${index % 4 < 2 ? 'approve' : 'deny'}`, {
            userCode: body.user_code,
          }),
        8,
      )
      assert.equal(winners(answered).length, 1)
      const isApproved = answered.findIndex(({ status }) => status === 200) % 4 < 2
      const form = { grant_type, device_code: body.device_code }
      const polled = await race((process) => askToken(process, app, form))
      assert.equal(winners(polled).length, isApproved ? 1 : 0)
    }
  })

  test('CVE-2020-15222: a client assertion, a DPoP proof and a request_uri are used once, also concurrently', async () => {
    const user = await newMember(service())
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const jwk = { ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'a' }
    const app = await createTestApp(service(), { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } })
    const { baseUrl } = service()
    const now = () => Math.floor(Date.now() / 1000)
    const newAssertion = (jti: string) =>
      new SignJWT({ jti, iss: app.id, sub: app.id, aud: baseUrl, exp: now() + 60 })
        .setProtectedHeader({ alg: 'ES256', kid: 'a' })
        .sign(privateKey)
    const credentials = (assertion: string) => ({
      client_assertion: assertion,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    })
    const machine = (headers: Record<string, string>, form: Record<string, string>) =>
      postForm(service(), `${AUTH}/oauth2/token`, { grant_type: 'client_credentials', ...form }, headers)
    const concurrently = (send: () => Promise<Answer>) => Promise.all(Array.from({ length: REQUESTS }, send))

    const assertion = await newAssertion('first')
    const asserted = await concurrently(() => machine({}, credentials(assertion)))
    assert.equal(winners(asserted).length, 1)
    const repeatedAssertion = await machine({}, credentials(assertion))
    for (const { status, body } of [...losers(asserted), repeatedAssertion])
      assert.deepEqual([status, body.error], [401, 'invalid_client'])

    const plain = await createTestApp(service())
    const proof = await new SignJWT({ jti: 'proof', htm: 'POST', htu: `${baseUrl}${AUTH}/oauth2/token`, iat: now() })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: await exportJWK(publicKey) })
      .sign(privateKey)
    const proved = await concurrently(() => machine({ ...basic(plain), dpop: proof }, {}))
    assert.equal(winners(proved).length, 1)
    const withAssertion = await machine({ dpop: proof }, credentials(await newAssertion('second')))
    assert.equal(withAssertion.status, 200)
    const repeatedProof = await machine({ dpop: proof }, credentials(await newAssertion('third')))
    for (const { status, body } of [...losers(proved), repeatedProof])
      assert.deepEqual([status, body.error], [400, 'invalid_dpop_proof'])
    const form = { ...(await newCodeForm(user, plain)) }
    const ownProof = await new SignJWT({ jti: 'other', htm: 'POST', htu: `${baseUrl}${AUTH}/oauth2/token`, iat: now() })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: await exportJWK(publicKey) })
      .sign(privateKey)
    const bound = await askToken(service(), plain, form, { ...basic(plain), dpop: ownProof } as never)
    assert.equal(bound.body.token_type, 'DPoP')
    assert.equal((await exchange(service(), plain, bound.body.access_token)).body.error, 'invalid_request')

    const push = async (client_id: string) => {
      const { searchParams } = new URL((await authorizationRequest(plain)).path, baseUrl)
      const { body } = await postForm(service(), `${AUTH}/oauth2/par`, searchParams, basic(plain))
      return `${AUTH}/oauth2/authorize?${new URLSearchParams({ client_id, request_uri: body.request_uri })}`
    }
    const pushed = await push(plain.id)
    const opened = await race((process) => bearerClient(process, user).get(pushed))
    const codes = opened.filter(({ headers }) => headers.get('location')?.includes('code='))
    assert.equal(codes.length, 1)
    const stranger = await bearerClient(service(), user).get(await push(app.id))
    assert.equal(stranger.headers.get('location'), null)
  })

  test('RFC 9449: a DPoP proof from a clock that is ahead is used once, also after five minutes', async () => {
    const app = await createTestApp(service())
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const htu = `${service().baseUrl}${AUTH}/oauth2/token`
    const iat = Math.floor(Date.now() / 1000) + 290
    const proof = await new SignJWT({ jti: 'ahead', htm: 'POST', htu, iat })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: await exportJWK(publicKey) })
      .sign(privateKey)
    const use = async () => {
      const headers = { ...basic(app), dpop: proof }
      return (await postForm(service(), `${AUTH}/oauth2/token`, { grant_type: 'client_credentials' }, headers)).status
    }
    assert.equal(await use(), 200)
    for (const milliseconds of [301_000, 289_000]) {
      service().advance(milliseconds)
      await deleteExpiredArtifacts(service().context.database, service().context.now(), 1_000)
      assert.equal(await use(), 400)
    }
  })

  test('A sign-out that is concurrent with refreshes and redemptions leaves no live token and no usable code', async () => {
    const app = await createTestApp(service())
    for (let round = 0; round < 2; round += 1) {
      const user = await newMember(service())
      const code = await newCodeForm(user, app)
      const { body: tokens } = await askToken(service(), app, await newCodeForm(user, app))
      const { path, codeVerifier } = await authorizationRequest(app)
      const answers = await race((process, index) => {
        const client = bearerClient(process, user)
        if (index === 4 + round) return client.post(`${AUTH}/sign-out`)
        if (index % 3 === 0) return client.get(path)
        return index % 3 === 1 ? refresh(process, app, tokens.refresh_token) : askToken(process, app, code)
      }, 12)
      for (const { body } of winners(answers))
        if (body.refresh_token) {
          assert.deepEqual((await introspect(service(), app, body.access_token)).body, { active: false })
          assert.equal((await refresh(service(), app, body.refresh_token)).body.error, 'invalid_grant')
        }
      assert.equal(await liveRefreshTokens(user, app), 0)
      for (const { headers } of answers) {
        const code = headers.get('location')?.match(/code=([^&]*)/)?.[1]
        if (code)
          assert.equal((await askToken(service(), app, codeForm(code, codeVerifier))).body.error, 'invalid_grant')
      }
    }
  })

  test('A consent that is concurrent with the deletion of the client leaves no row, and causes no status of 500', async () => {
    const boss = await administrator(service())
    for (let round = 0; round < 2; round += 1) {
      const user = await newMember(service())
      const app = await createTestApp(service(), {}, { skipConsent: 0 })
      const location = locationOf(await user.client.get((await authorizationRequest(app)).path))
      const id = location.searchParams.get('interaction')
      const consent = { accept: true, oauth_query: `interaction=${id}` }
      await race((process, index) => {
        if (index === 3 + round)
          return bearerClient(process, boss).post(`${AUTH}/oauth2/delete-client`, { client_id: app.id })
        return index % 3 === 2
          ? user.client.get(`${AUTH}/oauth2/authorize/${id}`)
          : bearerClient(process, user).post(`${AUTH}/oauth2/consent`, consent)
      }, 9)
      const { database } = service().context
      for (const table of ['oauthConsents', 'clientSessions', 'oauthGrants'] as const)
        assert.deepEqual(await database.selectFrom(table).selectAll().where('clientId', '=', app.id).execute(), [])
    }
  })

  test('A lost answer to a refresh may be repeated for 30 seconds, until the new token was used', async () => {
    const app = await createTestApp(service())
    const other = await second()
    for (const [milliseconds, isUsed, expected] of [
      [1, false, 200],
      [29_000, false, 200],
      [31_000, false, 400],
      [10, true, 400],
      [29_000, true, 400],
    ] as const) {
      const user = await newMember(service())
      const { body: first } = await askToken(service(), app, await newCodeForm(user, app))
      const { body: lost } = await refresh(service(), app, first.refresh_token)
      if (isUsed) assert.equal((await refresh(other, app, lost.refresh_token)).status, 200)
      service().advance(milliseconds)
      other.advance(milliseconds)
      const retried = await refresh(service(), app, first.refresh_token)
      assert.equal(retried.status, expected, `${milliseconds} ms: ${JSON.stringify(retried.body)}`)
      const isReused = (await audited(user)).includes('oauth-refresh.reused')
      assert.equal(isReused, expected === 400)
      if (expected === 400) {
        assert.equal((await refresh(service(), app, lost.refresh_token)).body.error, 'invalid_grant')
        assert.equal(await liveRefreshTokens(user, app), 0)
      } else {
        await assertAlive(app, retried)
        assert.equal(await liveRefreshTokens(user, app), 1)
        assert.equal((await refresh(other, app, lost.refresh_token)).body.error, 'invalid_grant')
        assert.equal(await liveRefreshTokens(user, app), 0)
      }
    }
  })
})
