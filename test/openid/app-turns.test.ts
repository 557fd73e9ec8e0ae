import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { before, type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { DEVICE_CODE_GRANT } from '../../server/core/oauth-clients/metadata.ts'
import { hashOfArtifact } from '../../server/features/openid/adapters/store.ts'
import { type Answer, toAnswer } from '../support/client.ts'
import { createTestApp, payloadOf, signInTo, type TestApp } from '../support/openid.ts'
import { askToken, basic, newCodeForm, postForm } from '../support/protocol.ts'
import { onEachDatabase } from '../support/service.ts'
import { holdStatements } from '../support/statements.ts'
import { exchange, introspect, refresh, revoke } from '../support/token-requests.ts'
import { until } from '../support/until.ts'
import { newMember, type TestMember } from '../support/users.ts'

const AUTH = '/api/auth'
/** The requests of the apps of a user that are at work at the same time. */
const CONCURRENT_MAXIMUM = 2
const LOOK_UP = /from "oauthArtifacts" where "idHash"/
const LOOK_UP_OF_MEMBER = /from "organizations" inner join "members"/
const CONSUMPTION = /^update "oauthArtifacts" set "consumedAt"/

onEachDatabase('The turns of the apps of a user', (service) => {
  let app: TestApp
  before(async () => {
    app = await createTestApp(service())
  })

  const newToken = async (user: TestMember) => (await signInTo(user, app)).refresh_token ?? ''

  /** Holds refreshes while they have all turns of the apps of their user. */
  async function takeAllTurns(t: TestContext, user: TestMember) {
    const tokens: string[] = []
    while (tokens.length < CONCURRENT_MAXIMUM) tokens.push(await newToken(user))
    const held = holdStatements(t, service(), CONSUMPTION)
    const answers = tokens.map((token) => refresh(service(), app, token))
    await until(() => held.count(CONSUMPTION) === CONCURRENT_MAXIMUM, 'all turns are taken', 5)
    return {
      countConsumptions: () => held.count(CONSUMPTION),
      /** Sends a request, and waits until its last read before the wait for its turn. */
      async queue(send: () => Promise<Answer>, lastRead = LOOK_UP): Promise<{ answer: Promise<Answer> }> {
        const formerCount = held.count(lastRead)
        const answer = send()
        await until(() => held.count(lastRead) > formerCount, 'the request arrives', 5)
        for (let turn = 0; turn < 20; turn += 1) await setImmediate()
        assert.equal(held.count(CONSUMPTION), CONCURRENT_MAXIMUM)
        return { answer }
      },
      async release(): Promise<Answer[]> {
        held.release()
        return Promise.all(answers)
      },
    }
  }

  test('While refreshes of an app wait for their turns, its user ends its access', async (t) => {
    const user = await newMember(service())
    const token = await newToken(user)
    const { queue, release } = await takeAllTurns(t, user)
    const waiting = await queue(() => refresh(service(), app, token))
    const { status } = await user.client.post(`${AUTH}/oauth2/revoke-app`, { clientId: app.id })
    assert.equal(status, 200)
    for (const { body } of [...(await release()), await waiting.answer]) assert.equal(body.error, 'invalid_grant')
  })

  test('While the turns are taken, introspection and the requests of another client are answered', async (t) => {
    const user = await newMember(service())
    const other = await createTestApp(service())
    const { access_token, refresh_token = '' } = await signInTo(user, app)
    const { release } = await takeAllTurns(t, user)
    for (const token of [access_token, refresh_token]) {
      assert.equal((await introspect(service(), app, token)).body.active, true)
      assert.equal((await revoke(service(), other, token)).body.error, 'invalid_grant')
    }
    assert.equal((await refresh(service(), other, refresh_token)).body.error, 'invalid_grant')
    await release()
  })

  test('A revocation of an access token or a refresh token waits for its turn', async (t) => {
    const user = await newMember(service())
    const watcher = await createTestApp(service())
    const { access_token, refresh_token = '' } = await signInTo(user, app)
    const { release } = await takeAllTurns(t, user)
    const statuses: number[] = []
    const revocations = [access_token, refresh_token].map(async (token) => {
      statuses.push((await revoke(service(), app, token)).status)
    })
    for (let count = 0; count < 20; count += 1)
      assert.equal((await introspect(service(), watcher, access_token)).body.active, true)
    assert.deepEqual(statuses, [])
    await release()
    await Promise.all(revocations)
    assert.deepEqual(statuses, [200, 200])
  })

  test('While the turns are taken, an app whose access the user has ended or denied is answered', async (t) => {
    const user = await newMember(service())
    const other = await createTestApp(service())
    const { access_token } = await signInTo(user, other)
    const ended = await user.client.post(`${AUTH}/oauth2/revoke-app`, { clientId: other.id })
    assert.equal(ended.status, 200)
    const { body } = await postForm(service(), `${AUTH}/device/code`, { scope: 'openid' }, basic(other))
    const denied = await user.client.post(`${AUTH}/device/deny`, { userCode: body.user_code })
    assert.equal(denied.status, 200)
    const { countConsumptions, release } = await takeAllTurns(t, user)
    assert.equal((await revoke(service(), other, access_token)).status, 200)
    const poll = askToken(service(), other, { grant_type: DEVICE_CODE_GRANT, device_code: body.device_code })
    await until(() => countConsumptions() > CONCURRENT_MAXIMUM, 'the poll waits for no turn', 5)
    await release()
    assert.equal((await poll).body.error, 'access_denied')
  })

  test('A refresh whose client disconnects in the queue is not made', async (t) => {
    const user = await newMember(service())
    const [left, later] = [await newToken(user), await newToken(user)]
    const { queue, release } = await takeAllTurns(t, user)
    const closings: Promise<unknown>[] = []
    const onRequest = (message: unknown) => {
      closings.push(once((message as { response: ServerResponse }).response, 'close'))
    }
    subscribe('http.server.request.start', onRequest)
    t.after(() => unsubscribe('http.server.request.start', onRequest))
    const client = new AbortController()
    const { answer } = await queue(async () => {
      const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: left })
      const options = { method: 'POST', body, headers: basic(app), signal: client.signal }
      return toAnswer(await fetch(new URL(`${AUTH}/oauth2/token`, service().baseUrl), options))
    })
    client.abort()
    await assert.rejects(answer)
    await Promise.all(closings)

    await release()
    assert.equal((await refresh(service(), app, later)).status, 200)
    const artifacts = service().context.database.selectFrom('oauthArtifacts').select('consumedAt')
    const artifact = artifacts.where('idHash', '=', hashOfArtifact('RefreshToken', left))
    assert.equal((await artifact.executeTakeFirstOrThrow()).consumedAt, null)
  })

  interface Waiting {
    send: () => Promise<Answer>
    lastRead?: RegExp
  }
  /** Each prepares a request that gets tokens for the user. */
  const requests: Record<string, (user: TestMember) => Promise<Waiting>> = {
    async 'A refresh'(user) {
      const token = await newToken(user)
      return { send: () => refresh(service(), app, token) }
    },
    async 'The redemption of a code'(user) {
      const form = await newCodeForm(user, app)
      return { send: () => askToken(service(), app, form) }
    },
    async 'The redemption of a device code'(user) {
      const scope = 'openid organization'
      const { body } = await postForm(service(), `${AUTH}/device/code`, { scope }, basic(app))
      const { status } = await user.client.post(`${AUTH}/device/approve`, { userCode: body.user_code })
      assert.equal(status, 200)
      const form = { grant_type: DEVICE_CODE_GRANT, device_code: body.device_code }
      return { send: () => askToken(service(), app, form) }
    },
    async 'An exchange'(user) {
      const { access_token } = await signInTo(user, app)
      return { send: () => exchange(service(), app, access_token), lastRead: LOOK_UP_OF_MEMBER }
    },
    async 'The exchange of a session token'({ token, organization }) {
      const form = { organization: organization.slug }
      return { send: () => exchange(service(), app, token, form), lastRead: LOOK_UP_OF_MEMBER }
    },
  }
  const database = () => service().context.database
  const setRole = ({ id }: TestMember) =>
    database().updateTable('members').set({ role: 'member' }).where('userId', '=', id).execute()
  /** Each takes the tokens of the user's session away. */
  const endings: Record<string, (user: TestMember) => Promise<unknown>> = {
    'the organization asked for two steps': ({ organization: { id } }) =>
      database().updateTable('organizations').set({ requireTwoFactor: 1 }).where('id', '=', id).execute(),
    'the user was removed': ({ id }) => database().deleteFrom('members').where('userId', '=', id).execute(),
    'the session was revoked': ({ token }) =>
      service()
        .client()
        .post(`${AUTH}/sign-out`, {}, { headers: { authorization: `Bearer ${token}` } }),
  }

  for (const [name, prepare] of Object.entries(requests)) {
    test(`${name} that waits while an admin becomes a member gives the role of a member`, async (t) => {
      const user = await newMember(service(), 'admin')
      const { send, lastRead } = await prepare(user)
      const { queue, release } = await takeAllTurns(t, user)
      const { answer } = await queue(send, lastRead)
      await setRole(user)
      await release()
      const { status, body } = await answer
      assert.equal(status, 200, JSON.stringify(body))
      for (const token of [body.access_token, body.id_token])
        if (token !== undefined) assert.equal(payloadOf(token).org_role, 'member')
    })

    for (const [ending, end] of Object.entries(endings))
      test(`${name} gives no token when ${ending} while it waited`, async (t) => {
        const user = await newMember(service())
        const { send, lastRead } = await prepare(user)
        const { queue, release } = await takeAllTurns(t, user)
        const { answer } = await queue(send, lastRead)
        await end(user)
        await release()
        const { status, body } = await answer
        assert.equal(status, 400, JSON.stringify(body))
        assert.equal(body.access_token, undefined)
      })
  }
})
