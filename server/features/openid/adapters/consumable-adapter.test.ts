import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Answer } from '../../../../test/support/client.ts'
import { createTestApp, signInTo, type TestApp } from '../../../../test/support/openid.ts'
import { askToken, newCodeForm, refusalOf } from '../../../../test/support/protocol.ts'
import { secondProcess } from '../../../../test/support/second-process.ts'
import { onEachDatabase, type Service } from '../../../../test/support/service.ts'
import { afterStatement } from '../../../../test/support/statements.ts'
import { introspect, refresh } from '../../../../test/support/token-requests.ts'
import { newMember } from '../../../../test/support/users.ts'

const REFUSED = [400, 'invalid_grant']
const INACTIVE = { active: false }
const INTERRUPTED_MILLISECONDS = 2_001

onEachDatabase('Codes and refresh tokens', (service) => {
  const start = secondProcess(service)
  /** The second process. It has the address of the first process, as behind one load balancer. */
  async function secondWithClock(aheadMilliseconds: number): Promise<Service> {
    const second = await start()
    Object.assign(second.config, { baseUrl: service().baseUrl })
    second.advance(aheadMilliseconds)
    return second
  }

  async function openScene() {
    const user = await newMember(service())
    const app = await createTestApp(service())
    return { user, app, token: (await signInTo(user, app)).refresh_token ?? '' }
  }

  async function rotate(app: TestApp, token: string, process = service()): Promise<string> {
    const { status, body } = await refresh(process, app, token)
    assert.equal(status, 200, JSON.stringify(body))
    return body.refresh_token
  }

  async function listReplays(userId: string): Promise<string[]> {
    const events = service().context.database.selectFrom('auditEvents').select('action').where('subjectId', '=', userId)
    const replays = events.where('action', 'in', ['oauth-code.replayed', 'oauth-refresh.reused'])
    return (await replays.execute()).map(({ action }) => action)
  }

  interface Redemption {
    app: TestApp
    form: Record<string, string>
    /** The process of the second request. */
    second?: Service
    /** The time between the two responses. */
    betweenMilliseconds?: number
  }
  /** Sends a form in two requests. The second one has arrived when the first is sent, and looks up the code after it. */
  async function sendBeforeAnswer(
    t: TestContext,
    { app, form, second = service(), betweenMilliseconds = 0 }: Redemption,
  ) {
    let first: Answer | undefined
    const step = async () => {
      first = await askToken(service(), app, form)
      second.advance(betweenMilliseconds)
    }
    const matching = /from "oauthClients"/
    const answer = await afterStatement(t, service(), { matching, step }, () => askToken(second, app, form))
    assert.equal(first?.status, 200, JSON.stringify(first?.body))
    return { first, second: answer }
  }

  for (const behindMilliseconds of [0, 1_500])
    test(`A request that arrives before the answer to another one is refused with its code, gets the same token with its refresh token, and revokes nothing, also in a process that is ${behindMilliseconds} ms behind`, async (t) => {
      const user = await newMember(service())
      const app = await createTestApp(service())
      const second = behindMilliseconds === 0 ? service() : await secondWithClock(-behindMilliseconds)
      const form = await newCodeForm(user, app)
      const redeemed = await sendBeforeAnswer(t, { app, form, second })
      assert.deepEqual(refusalOf(redeemed.second), REFUSED)
      assert.equal((await introspect(service(), app, redeemed.first.body.access_token)).body.active, true)

      const { refresh_token } = redeemed.first.body
      const again = { grant_type: 'refresh_token', refresh_token }
      const refreshed = await sendBeforeAnswer(t, { app, form: again, second })
      assert.equal(refreshed.second.body.refresh_token, refreshed.first.body.refresh_token)
      await rotate(app, refreshed.first.body.refresh_token)
      assert.deepEqual(await listReplays(user.id), [])
    })

  test('A request that arrives after the first answer gets another token, although a concurrent one is unanswered', async (t) => {
    const { app, token } = await openScene()
    const form = { grant_type: 'refresh_token', refresh_token: token }
    const milliseconds = 1_000
    const { first } = await sendBeforeAnswer(t, { app, form, betweenMilliseconds: milliseconds })
    service().advance(-milliseconds / 2)
    const next = await rotate(app, token)
    service().advance(milliseconds / 2)
    assert.notEqual(next, first?.body.refresh_token)
    assert.deepEqual((await introspect(service(), app, first?.body.refresh_token)).body, INACTIVE)
  })

  test('A refresh that was given up, and goes on later, does not answer its repetition', async (t) => {
    const { user, app, token } = await openScene()
    const hold = holdSignatures(t)
    const givenUp = await hold(() => refresh(service(), app, token))
    service().advance(INTERRUPTED_MILLISECONDS)
    const repetition = await hold(() => refresh(service(), app, token))
    await givenUp.release()
    service().advance(1)
    const concurrent = await rotate(app, token)
    assert.equal((await repetition.release()).body.refresh_token, concurrent)
    await rotate(app, concurrent)
    assert.deepEqual(await listReplays(user.id), [])
  })

  for (const isAnswered of [true, false])
    test(`A replaced refresh token of a clock that was ahead is not active, and revokes the family, ${isAnswered ? 'with' : 'without'} a stored answer`, async () => {
      for (const hasUsedSuccessor of [true, false]) {
        const { user, app, token } = await openScene()
        service().advance(3_600_000)
        const next = await rotate(app, token)
        const last = hasUsedSuccessor ? await rotate(app, next) : next
        service().advance(-3_600_000)
        if (!isAnswered)
          await service()
            .context.database.updateTable('oauthArtifacts')
            .set({ answeredAt: null })
            .where('clientId', '=', app.id)
            .execute()
        assert.deepEqual((await introspect(service(), app, token)).body, INACTIVE)
        assert.equal((await introspect(service(), app, last)).body.active, true)
        assert.deepEqual(refusalOf(await refresh(service(), app, token)), REFUSED)
        assert.deepEqual(await listReplays(user.id), ['oauth-refresh.reused'])
        assert.deepEqual((await introspect(service(), app, last)).body, INACTIVE)
        assert.deepEqual(refusalOf(await refresh(service(), app, last)), REFUSED)
      }
    })

  test('The successor of a refresh token of a clock that was ahead stays usable', async () => {
    const { user, app, token } = await openScene()
    service().advance(3_600_000)
    const next = await rotate(app, token)
    service().advance(-3_600_000)
    await rotate(app, await rotate(app, next))
    assert.deepEqual(await listReplays(user.id), [])
  })

  test('A lost answer to a refresh may be repeated at a process that is 20 seconds behind, until the new token was used', async () => {
    const second = await secondWithClock(-20_000)
    const { user, app, token } = await openScene()
    await rotate(app, token)
    const repeated = await rotate(app, token, second)
    await rotate(app, repeated)
    assert.deepEqual(await listReplays(user.id), [])
    assert.deepEqual(refusalOf(await refresh(second, app, token)), REFUSED)
    assert.deepEqual(await listReplays(user.id), ['oauth-refresh.reused'])
  })

  test('A second lost answer to a refresh may be repeated at a process that is 20 seconds behind the first repeat', async () => {
    const second = await secondWithClock(-20_000)
    const { user, app, token } = await openScene()
    await rotate(app, token)
    service().advance(1_000)
    const repeated = await rotate(app, token)
    const last = await rotate(app, token, second)
    assert.notEqual(last, repeated)
    await rotate(app, last, second)
    assert.deepEqual(await listReplays(user.id), [])
    service().advance(-1_000)
  })

  test('Of two concurrent repeats of a refresh at a process that is 20 seconds behind, both get the same token', async () => {
    const second = await secondWithClock(-20_000)
    const { user, app, token } = await openScene()
    await rotate(app, token)
    const repeated = await rotate(app, token, second)
    // As before the response to the first repeat.
    await service()
      .context.database.updateTable('oauthArtifacts')
      .set({ answeredAt: null })
      .where('clientId', '=', app.id)
      .execute()
    assert.equal(await rotate(app, token, second), repeated)
    await rotate(app, repeated, second)
    assert.deepEqual(await listReplays(user.id), [])
  })

  test('A replayed code that was redeemed at a process with a clock 30 seconds ahead revokes its tokens', async () => {
    const second = await secondWithClock(30_000)
    const user = await newMember(service())
    const app = await createTestApp(service())
    const form = await newCodeForm(user, app)
    const { body } = await askToken(second, app, form)
    assert.equal((await introspect(service(), app, body.access_token)).body.active, true)
    assert.deepEqual(refusalOf(await askToken(service(), app, form)), REFUSED)
    assert.deepEqual(await listReplays(user.id), ['oauth-code.replayed'])
    assert.deepEqual((await introspect(service(), app, body.access_token)).body, INACTIVE)
  })

  test('A lost answer to a refresh may be repeated after the clock was set back by 20 seconds', async () => {
    const { user, app, token } = await openScene()
    service().advance(20_000)
    await rotate(app, token)
    service().advance(-20_000)
    await rotate(app, await rotate(app, token))
    assert.deepEqual(await listReplays(user.id), [])
  })

  test('A refresh token that is being replaced is not active when it can no longer be repeated', async (t) => {
    const { app, token } = await openScene()
    const step = async () => {
      await rotate(app, await rotate(app, token))
    }
    const ask = () => introspect(service(), app, token)
    const { body } = await afterStatement(t, service(), { matching: /from "oauthClients"/, step }, ask)
    assert.deepEqual(body, INACTIVE)
  })
})

/** Holds a request at its first signature. Its new refresh token is stored then. */
function holdSignatures({ mock }: TestContext) {
  const prototype = Object.getPrototypeOf(crypto.subtle) as SubtleCrypto
  return async (send: () => Promise<Answer>) => {
    const reached = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const { sign } = prototype
    const spied = mock.method(
      prototype,
      'sign',
      async function (this: SubtleCrypto, ...input: Parameters<typeof sign>) {
        spied.mock.restore()
        reached.resolve()
        await released.promise
        return sign.apply(this, input)
      },
    )
    const answer = send()
    await reached.promise
    return {
      release() {
        released.resolve()
        return answer
      },
    }
  }
}
