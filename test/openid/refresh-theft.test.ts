import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { hashOfArtifact } from '../../server/features/openid/adapters/store.ts'
import type { Answer } from '../support/client.ts'
import { holdTransaction } from '../support/hold-transaction.ts'
import { createTestApp, signInTo, type TestApp } from '../support/openid.ts'
import { refusalOf } from '../support/protocol.ts'
import { secondProcess } from '../support/second-process.ts'
import { onEachDatabase } from '../support/service.ts'
import { afterStatement } from '../support/statements.ts'
import { introspect, refresh, revoke } from '../support/token-requests.ts'
import { until } from '../support/until.ts'
import { newMember, type TestMember } from '../support/users.ts'
import { whenServed } from '../support/when-served.ts'

const REFUSED = [400, 'invalid_grant']
const ANSWER_MILLISECONDS = 2_001

onEachDatabase('A refresh token that is used twice within its 30 seconds', (service, engine) => {
  const second = secondProcess(service)

  interface Scene {
    user: TestMember
    app: TestApp
    /** The refresh token of the sign-in. */
    token: string
  }
  async function openScene(): Promise<Scene> {
    const user = await newMember(service())
    const app = await createTestApp(service())
    return { user, app, token: (await signInTo(user, app)).refresh_token ?? '' }
  }

  async function rotate(app: TestApp, token: string, times = 1): Promise<string> {
    let current = token
    for (let time = 0; time < times; time += 1) {
      const { status, body } = await refresh(service(), app, current)
      assert.equal(status, 200, JSON.stringify(body))
      current = body.refresh_token
    }
    return current
  }

  /**
   * Sends a token again after the time that an answer takes, so that the request does not count as a concurrent one.
   */
  async function repeat(app: TestApp, token: string): Promise<string> {
    service().advance(ANSWER_MILLISECONDS)
    return rotate(app, token)
  }

  async function countReuses({ id }: TestMember): Promise<number> {
    const reuses = service()
      .context.database.selectFrom('auditEvents')
      .select('id')
      .where('subjectId', '=', id)
      .where('action', '=', 'oauth-refresh.reused')
    return (await reuses.execute()).length
  }

  async function assertRevoked({ user, app }: Scene, displaced: string, alive: string): Promise<void> {
    assert.equal(await countReuses(user), 0)
    service().advance(ANSWER_MILLISECONDS)
    assert.deepEqual(refusalOf(await refresh(service(), app, displaced)), REFUSED)
    assert.equal(await countReuses(user), 1)
    assert.deepEqual((await introspect(service(), app, alive)).body, { active: false })
    assert.deepEqual(refusalOf(await refresh(service(), app, alive)), REFUSED)
  }

  for (const rotations of [0, 1, 5])
    test(`The owner's refresh revokes the line of a thief, also after ${rotations} rotations of the thief`, async () => {
      const scene = await openScene()
      const ofOwner = await rotate(scene.app, scene.token)
      const ofThief = await rotate(scene.app, await repeat(scene.app, scene.token), rotations)
      if (rotations > 1) service().advance(3 * 86_400_000)
      await assertRevoked(scene, ofOwner, ofThief)
    })

  for (const rotations of [0, 1, 5])
    test(`The thief's refresh revokes the line of the owner, also after ${rotations} rotations of the owner`, async () => {
      const scene = await openScene()
      const ofThief = await rotate(scene.app, scene.token)
      const ofOwner = await rotate(scene.app, await repeat(scene.app, scene.token), rotations)
      await assertRevoked(scene, ofThief, ofOwner)
    })

  test('Each of several displaced successors revokes the family, and not the one that lives', async () => {
    const successors = 3
    for (let index = 0; index < successors; index += 1) {
      const scene = await openScene()
      const displaced: string[] = []
      for (let count = 0; count < successors; count += 1) displaced.push(await repeat(scene.app, scene.token))
      const alive = await repeat(scene.app, scene.token)
      await assertRevoked(scene, displaced[index] ?? '', await rotate(scene.app, alive))
    }
  })

  test('The first refresh token revokes the family after a successor was used, although another one was displaced', async () => {
    const scene = await openScene()
    await rotate(scene.app, scene.token)
    const alive = await rotate(scene.app, await repeat(scene.app, scene.token))
    await assertRevoked(scene, scene.token, alive)
  })

  test('A displaced refresh token ends nothing at introspection, and from another client', async () => {
    const { user, app, token } = await openScene()
    const displaced = await rotate(app, token)
    const alive = await repeat(app, token)
    assert.deepEqual((await introspect(service(), app, displaced)).body, { active: false })
    assert.deepEqual(refusalOf(await refresh(service(), await createTestApp(service()), displaced)), REFUSED)
    await rotate(app, alive)
    assert.equal(await countReuses(user), 0)
  })

  test('The revocation endpoint ends the family with a replaced and with a displaced refresh token, for its client only', async () => {
    for (const isDisplaced of [true, false]) {
      const { app, token } = await openScene()
      const displaced = await rotate(app, token)
      const alive = isDisplaced ? await repeat(app, token) : await rotate(app, displaced, 2)
      const refused = await revoke(service(), await createTestApp(service()), displaced)
      assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_grant'])
      assert.equal((await introspect(service(), app, alive)).body.active, true)
      assert.equal((await revoke(service(), app, displaced)).status, 200)
      assert.deepEqual((await introspect(service(), app, alive)).body, { active: false })
    }
  })

  test('A client that loses several answers goes on with the last one', async () => {
    const { user, app, token } = await openScene()
    let last = token
    for (let round = 0; round < 2; round += 1) {
      for (let lost = 0; lost < 3; lost += 1) await repeat(app, last)
      last = await repeat(app, last)
    }
    await rotate(app, last, 3)
    assert.equal(await countReuses(user), 0)
  })

  test('A client that lost an answer stays signed in after 20 concurrent repetitions in two processes', async () => {
    const { user, app, token } = await openScene()
    await rotate(app, token)
    service().advance(ANSWER_MILLISECONDS)
    const processes = [service(), await second()]
    Object.assign(processes[1]?.config ?? {}, { baseUrl: service().baseUrl })
    const answers: Answer[] = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        whenServed(() => refresh(processes[index % 2] ?? service(), app, token)),
      ),
    )
    for (const { status, body } of answers) assert.ok(status < 500, JSON.stringify(body))
    const succeeded = answers.filter(({ status }) => status === 200)
    const tokens = [...new Set(succeeded.map(({ body }) => body.refresh_token as string))]
    const states = await Promise.all(tokens.map((one) => introspect(service(), app, one)))
    const alive = tokens.filter((_, index) => states[index]?.body.active)
    assert.equal(alive.length, 1, `${tokens.length} tokens`)
    await rotate(app, alive[0] ?? '', 3)
    assert.equal(await countReuses(user), 0)
  })

  test('A repetition that arrives before the answer to another one gets the same token', async (t) => {
    const { user, app, token } = await openScene()
    await rotate(app, token)
    service().advance(ANSWER_MILLISECONDS)
    // The use of the session is then written after the new refresh token, and before the answer.
    const sessions = service().context.database.updateTable('sessions').where('userId', '=', user.id)
    await sessions.set({ lastUsedAt: 0 }).execute()
    const matching = /^update "sessions" set "lastUsedAt"/
    let second: Answer | undefined
    const step = async () => {
      second = await refresh(service(), app, token)
    }
    const first = await afterStatement(t, service(), { matching, step }, () => refresh(service(), app, token))
    for (const answer of [first, second]) assert.equal(answer?.status, 200, JSON.stringify(answer?.body))
    assert.equal(second?.body.refresh_token, first.body.refresh_token)
    await rotate(app, first.body.refresh_token)
    assert.equal(await countReuses(user), 0)
  })

  test('A refresh that is concurrent with one of a process with another SECRET is refused, and the answered token lives', async () => {
    const { user, app, token } = await openScene()
    const tokens = service().context.database.updateTable('oauthArtifacts').where('clientId', '=', app.id)
    const next = await rotate(app, token)
    const hash = hashOfArtifact('RefreshToken', next)
    await tokens.set({ idHash: 'of another SECRET' }).where('idHash', '=', hash).execute()
    await tokens.set({ answeredAt: null }).execute()
    assert.deepEqual(refusalOf(await refresh(service(), app, token)), REFUSED)
    await tokens.set({ idHash: hash }).where('idHash', '=', 'of another SECRET').execute()
    await rotate(app, next)
    assert.equal(await countReuses(user), 0)
  })

  for (const [fate, end] of [
    ['was used', (app: TestApp, _token: string, next: string) => rotate(app, next)],
    [
      'is displaced',
      async (app: TestApp, token: string, next: string) => {
        const { database, now } = service().context
        const update = database.updateTable('oauthArtifacts').where('clientId', '=', app.id)
        await update.set({ polledAt: now() }).where('idHash', '=', hashOfArtifact('RefreshToken', token)).execute()
        await update.set({ consumedAt: 0 }).where('idHash', '=', hashOfArtifact('RefreshToken', next)).execute()
      },
    ],
  ] as const)
    test(`A concurrent refresh gives no token that ${fate} in that time`, async (t) => {
      const { user, app, token } = await openScene()
      let next = ''
      // The request finds the token unused. Then another one uses it, and gets the token that both derive from it.
      const use = {
        matching: /^select \* from "oauthArtifacts" where "idHash"/,
        step: async () => {
          next = await rotate(app, token)
        },
      }
      const ending = { matching: /"predecessorHash" = \S+ and "consumedAt" > /, step: () => end(app, token, next) }
      const answer = await afterStatement(t, service(), use, () =>
        afterStatement(t, service(), ending, () => refresh(service(), app, token)),
      )
      assert.deepEqual(refusalOf(answer), REFUSED)
      assert.equal(await countReuses(user), 0)
    })

  if (engine === 'postgres')
    test('A repetition that waits for another one gets a token that works', async (t) => {
      const { context, config } = service()
      const { app, token } = await openScene()
      assert.ok(config.database.engine === 'postgres')
      const lost = await rotate(app, token)
      service().advance(ANSWER_MILLISECONDS)
      const retry = `update "oauthArtifacts"
        set "polledAt" = case when "predecessorHash" is null then ${context.now()} end,
          "consumedAt" = case when "predecessorHash" is null then "consumedAt" else 0 end
        where "clientId" = '${app.id}' and "kind" = 'RefreshToken'`
      const commit = await holdTransaction(t, config.database.url, retry)
      const answer = refresh(service(), app, token)
      const waiting = sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      await until(async () => (await waiting.execute(context.database)).rows.length > 0, 'the request waits')
      commit()
      const { status, body } = await answer
      assert.equal(status, 200, JSON.stringify(body))
      assert.notEqual(body.refresh_token, lost)
      await rotate(app, body.refresh_token)
    })

  if (engine === 'postgres')
    test('A refresh token that is displaced while its own request is answered revokes the family', async (t) => {
      const { context, config } = service()
      const { user, app, token } = await openScene()
      assert.ok(config.database.engine === 'postgres')
      const displaced = await rotate(app, token)
      const displace = `update "oauthArtifacts" set "consumedAt" = 0
        where "clientId" = '${app.id}' and "predecessorHash" is not null`
      const commit = await holdTransaction(t, config.database.url, displace)
      const answer = refresh(service(), app, displaced)
      const waiting = sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      await until(async () => (await waiting.execute(context.database)).rows.length > 0, 'the request waits')
      commit()
      assert.deepEqual(refusalOf(await answer), REFUSED)
      assert.equal(await countReuses(user), 1)
    })

  test('Of a concurrent refresh by the owner and a repetition by a thief, at most one line lives', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { app, token } = await openScene()
      const ofOwner = await rotate(app, token)
      const answers = await Promise.all([ofOwner, token, ofOwner, token].map((one) => refresh(service(), app, one)))
      const succeeded = answers.filter(({ status }) => status === 200)
      const tokens = [...new Set(succeeded.map(({ body }) => body.refresh_token as string))]
      const states = await Promise.all(tokens.map((one) => introspect(service(), app, one)))
      assert.ok(states.filter(({ body }) => body.active).length <= 1)
    }
  })
})
