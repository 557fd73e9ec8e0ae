import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { before, type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { hashOfArtifact } from '../../server/features/openid/artifacts/store.ts'
import { createTestApp, signInTo, type TestApp } from '../support/openid.ts'
import { basic } from '../support/protocol.ts'
import { onEachDatabase } from '../support/service.ts'
import { holdStatements } from '../support/statements.ts'
import { refresh } from '../support/token-requests.ts'
import { until } from '../support/until.ts'
import { newMember, type TestMember } from '../support/users.ts'

const AUTH = '/api/auth'
/** The requests of the apps of a user that are at work at the same time. */
const CONCURRENT_MAXIMUM = 2
const LOOK_UP = /from "oauthArtifacts" where "idHash"/
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
    const formerCount = held.count(LOOK_UP)
    return {
      /** Waits until further requests have looked their tokens up, and then for their turns. */
      async untilQueued(count: number) {
        await until(() => held.count(LOOK_UP) === formerCount + count, `${count} requests arrive`, 5)
        for (let turn = 0; turn < 20; turn += 1) await setImmediate()
        assert.equal(held.count(CONSUMPTION), CONCURRENT_MAXIMUM)
      },
      async release() {
        held.release()
        return Promise.all(answers)
      },
    }
  }

  test('While refreshes of an app wait for their turns, its user ends its access', async (t) => {
    const user = await newMember(service())
    const tokens = [await newToken(user), await newToken(user)]
    const { untilQueued, release } = await takeAllTurns(t, user)
    const waiting = tokens.map((token) => refresh(service(), app, token))
    await untilQueued(waiting.length)
    const { status } = await user.client.post(`${AUTH}/oauth2/revoke-app`, { clientId: app.id })
    assert.equal(status, 200)
    for (const { body } of [...(await release()), ...(await Promise.all(waiting))])
      assert.equal(body.error, 'invalid_grant')
  })

  test('A refresh whose client disconnects in the queue is not made', async (t) => {
    const user = await newMember(service())
    const [left, later] = [await newToken(user), await newToken(user)]
    const { untilQueued, release } = await takeAllTurns(t, user)
    const closings: Promise<unknown>[] = []
    const onRequest = (message: unknown) =>
      closings.push(once((message as { response: ServerResponse }).response, 'close'))
    subscribe('http.server.request.start', onRequest)
    const client = new AbortController()
    const answer = fetch(new URL(`${AUTH}/oauth2/token`, service().baseUrl), {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: left }),
      headers: basic(app),
      signal: client.signal,
    })
    await untilQueued(1)
    unsubscribe('http.server.request.start', onRequest)
    client.abort()
    await assert.rejects(answer)
    await Promise.all(closings)

    await release()
    assert.equal((await refresh(service(), app, later)).status, 200)
    const artifacts = service().context.database.selectFrom('oauthArtifacts').select('consumedAt')
    const artifact = artifacts.where('idHash', '=', hashOfArtifact('RefreshToken', left))
    assert.equal((await artifact.executeTakeFirstOrThrow()).consumedAt, null)
  })
})
