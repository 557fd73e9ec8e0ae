import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endingSessions } from '../../../../test/support/concurrently.ts'
import { onEachDatabase, type Service, startService } from '../../../../test/support/service.ts'
import { administrator, newEmail, newUser, signedIn, tokenIn } from '../../../../test/support/users.ts'

const LIST = '/api/auth/admin/list-throttles'
const CLEAR = '/api/auth/admin/clear-throttle'

const HOUR = 3_600_000

const LOW_LIMITS = { ACCOUNT_GUESSES_PER_15_MINUTES: '4', NETWORK_GUESSES_PER_5_MINUTES: '10' }

interface Throttle {
  key: string
  kind: string
  holder: string
  subject: string | null
  used: number
  limit: number
}

onEachDatabase(
  'Throttles',
  (service) => {
    const list = async () => (await (await administrator(service())).client.get(LIST)).body.throttles as Throttle[]
    const guess = (at: Service, email: string) =>
      at.client().post('/api/auth/sign-in/email', { email, password: 'not the right one' })

    test('list-throttles names the user and the network of limits that are at least half used', async () => {
      const email = newEmail()
      await newUser(service(), { email })
      const client = service().client()
      const tryOnce = (address: string) =>
        client.post('/api/auth/sign-in/email', { email: address, password: 'not the right one' })
      await tryOnce(email)
      assert.ok((await list()).every(({ subject }) => subject !== email))
      await tryOnce(email)
      await service().context.repeatedEvents.save()
      const account = (await list()).find(({ subject }) => subject === email)
      assert.deepEqual([account?.kind, account?.holder, account?.used, account?.limit], ['password', 'account', 2, 4])
      const unknown = newEmail()
      for (let count = 0; count < 3; count += 1) await tryOnce(unknown)
      const throttles = await list()
      const network = throttles.find(({ subject }) => subject === client.address)
      assert.deepEqual([network?.kind, network?.holder, network?.used, network?.limit], ['password', 'network', 5, 10])
      assert.ok(throttles.some(({ holder, subject, used }) => holder === 'account' && subject === null && used === 3))
      const shares = throttles.map(({ used, limit }) => used / limit)
      assert.deepEqual(
        shares,
        shares.toSorted((one, two) => two - one),
      )
    })

    test('list-throttles does not show the network of a password reset with the limit of its user', async () => {
      const email = newEmail()
      await newUser(service(), { email })
      const client = service().client()
      await client.post('/api/auth/request-password-reset', { email })
      const reset = { newPassword: 'another fine long password', token: await tokenIn(service(), email) }
      assert.equal((await client.post('/api/auth/reset-password', reset)).status, 200)
      const sameNetwork = { headers: { 'x-forwarded-for': client.address } }
      const body = { email, password: 'not the right one' }
      for (let count = 0; count < 2; count += 1)
        await service().client().post('/api/auth/sign-in/email', body, sameNetwork)
      const throttles = (await list()).filter(({ subject }) => subject === email)
      assert.deepEqual(
        throttles.map(({ holder, used }) => [holder, used]),
        [['device', 2]],
      )
      assert.ok(!JSON.stringify(throttles).includes(client.address))
    })

    test('list-throttles leaves out limits that were used up while the clock was an hour ahead', async () => {
      const email = newEmail()
      await newUser(service(), { email })
      service().advance(HOUR)
      for (let count = 0; count < 4; count += 1) await guess(service(), email)
      await service().context.repeatedEvents.save()
      assert.ok((await list()).some(({ subject }) => subject === email))
      service().advance(-HOUR)
      assert.ok((await list()).every(({ subject }) => subject !== email))
      assert.equal((await guess(service(), email)).status, 401)
    })

    test('clear-throttle lets a user sign in again, in every process within a second', async (t) => {
      const email = newEmail()
      const userId = await newUser(service(), { email })
      for (let count = 0; count < 4; count += 1) await guess(service(), email)
      const second = await startService({ engine: service().engine, beside: service(), environment: LOW_LIMITS })
      t.after(() => second.stop())
      const processes = service().engine === 'postgres' ? [service(), second] : [service()]
      for (const process of processes) assert.equal((await guess(process, email)).status, 429)
      await service().context.repeatedEvents.save()
      const key = (await list()).find(({ subject }) => subject === email)?.key
      const { client } = await administrator(service())
      const cleared = await client.post(CLEAR, { key })
      assert.deepEqual([cleared.status, cleared.body], [200, { status: true }])
      assert.deepEqual((await client.post(CLEAR, { key })).body, { status: false })
      const { events } = (
        await client.get(`/api/auth/admin/list-audit-events?subjectId=${userId}&action=limit.cleared`)
      ).body
      assert.deepEqual(
        events.map(({ details }: { details: object }) => details),
        [{ key: 'password account' }],
      )
      assert.equal((await guess(service(), email)).status, 401)
      second.advance(1_001)
      if (service().engine === 'postgres') assert.equal((await guess(second, email)).status, 401)
      assert.equal((await signedIn(service(), email)).id, userId)
    })

    test('Of concurrent calls of clear-throttle, one clears the limit and has an audit event', async () => {
      const email = newEmail()
      const userId = await newUser(service(), { email })
      for (let count = 0; count < 4; count += 1) await guess(service(), email)
      await service().context.repeatedEvents.save()
      const key = (await list()).find(({ subject }) => subject === email)?.key
      const { client } = await administrator(service())
      const answers = await Promise.all(Array.from({ length: 5 }, () => client.post(CLEAR, { key })))
      const statuses = answers.map(({ body }) => body.status)
      assert.equal(statuses.filter((isCleared) => isCleared).length, 1, JSON.stringify(statuses))
      const events = service().context.database.selectFrom('auditEvents').select('id').where('subjectId', '=', userId)
      assert.equal((await events.where('action', '=', 'limit.cleared').execute()).length, 1)
    })

    test('A limit stays used up when clear-throttle is refused in its transaction', async () => {
      const email = newEmail()
      await newUser(service(), { email })
      for (let count = 0; count < 4; count += 1) await guess(service(), email)
      await service().context.repeatedEvents.save()
      const key = (await list()).find(({ subject }) => subject === email)?.key
      const { client } = await administrator(service())
      const refused = await endingSessions(service(), { path: CLEAR, ending: 'revoked' }, () =>
        client.post(CLEAR, { key }),
      )
      assert.deepEqual([refused.status, refused.body.code], [401, 'UNAUTHORIZED'])
      assert.equal((await guess(service(), email)).status, 429)
    })
  },
  LOW_LIMITS,
)
