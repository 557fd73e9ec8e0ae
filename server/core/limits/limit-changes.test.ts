import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { RawConnection } from '../../../test/support/raw-connection.ts'
import { until } from '../../../test/support/until.ts'
import type { Config } from '../../platform/config/config.ts'
import { shareReading } from '../../platform/database/time-budget.ts'
import { createCookies } from '../../platform/http/cookies.ts'
import { limitDatabaseTime } from '../../platform/http/database-time.ts'
import { finishHandlers } from '../../platform/http/finish-handlers.ts'
import { renderErrors } from '../../platform/http/render-error.ts'
import { enforceAccess, type RequestReaders } from '../access/access.ts'
import { authenticateCallers, type Caller } from '../access/caller.ts'
import { limitChanges } from './limit-changes.ts'
import { limitLists } from './limit-lists.ts'
import type { RateLimits } from './rate-limits.ts'

const HEAD = 'POST /change HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ada\r\n'
const UNLIMITED = { assertMayChange: async () => {}, chargeList: async () => {} } as object as RateLimits

interface TestRequest {
  token?: string
  method?: 'GET' | 'POST'
  url?: string
}

/** An app without a database. The token of a user is the name. A request is handled until the test settles it. */
function createApp(t: TestContext, limit: (app: FastifyInstance) => void, prepare = (_app: FastifyInstance) => {}) {
  const app = Fastify()
  t.after(() => app.close())
  const signedIn = new Set(['ada', 'bob'])
  const handled: PromiseWithResolvers<string>[] = []
  renderErrors(
    app,
    () => undefined,
    () => {},
  )
  finishHandlers(app)
  prepare(app)
  let readingCount = 0
  const join = () => {
    readingCount += 1
    return { promise: Promise.resolve(), stopSpending: [] }
  }
  authenticateCallers(app, createCookies('http://localhost'), async (token) => {
    await shareReading(join)
    const session = { tokenHash: token, impersonatedBy: null }
    const user = { id: token, role: 'admin', emailVerified: 1 }
    return signedIn.has(token) ? ({ user, session, token } as Caller) : undefined
  })
  const config = { requireTwoFactor: 'none' } as Config
  enforceAccess(app, { config, now: Date.now }, {} as RequestReaders)
  limit(app)
  const handler = () => {
    const request = Promise.withResolvers<string>()
    handled.push(request)
    return request.promise
  }
  const schema = { querystring: { type: 'object', properties: { count: { type: 'integer' } } } }
  for (const rateLimit of ['change', 'mail', 'guess', 'list'] as const) {
    const declared = { access: 'session', impersonated: 'allowed', rateLimit } as const
    app.post(`/${rateLimit}`, { config: declared, schema }, handler)
    app.get(`/${rateLimit}`, { config: declared }, handler)
  }
  const ofStaff = { access: { staff: 'user.list' }, impersonated: 'refused', rateLimit: 'change' } as const
  app.get('/staff', { config: ofStaff }, handler)
  app.post('/sign-in', { config: { access: 'anyone', impersonated: 'refused', rateLimit: 'guess' } }, handler)

  return {
    app,
    signedIn,
    handled,
    readingCount: () => readingCount,
    async send({ token = 'ada', method = 'POST', url = '/change' }: TestRequest = {}) {
      const { statusCode, headers } = await app.inject({ method, url, headers: { authorization: `Bearer ${token}` } })
      return { status: statusCode, retryAfter: headers['retry-after'] }
    },
    /** Waits until this number of requests has been handled, and then until no other request goes on. */
    async untilHandled(count: number) {
      await until(() => handled.length >= count, `${count} requests are handled`, 5)
      for (let turn = 0; turn < 20; turn += 1) await setImmediate()
      assert.equal(handled.length, count)
    },
  }
}

const takeChanges = (app: FastifyInstance) => limitChanges(app)

test('The fourth concurrent change of a user waits for the end of another one, and other users do not wait', async (t) => {
  const { handled, send, untilHandled } = createApp(t, takeChanges)
  const urls = ['/change', '/mail', '/guess', '/change']
  const answers = urls.map((url) => send({ url }))
  await untilHandled(3)
  answers.push(send({ token: 'bob' }))
  await untilHandled(4)
  handled[1]?.resolve('done')
  await untilHandled(5)
  for (const { resolve } of handled) resolve('done')
  for (const { status } of await Promise.all(answers)) assert.equal(status, 200)
})

test('A read, also of staff, and a sign-in take no turn of the changes', async (t) => {
  const { handled, send, untilHandled } = createApp(t, takeChanges)
  const answers = Array.from({ length: 3 }, () => send())
  await untilHandled(3)
  for (const url of ['/guess', '/list', '/staff']) answers.push(send({ method: 'GET', url }))
  answers.push(send({ url: '/sign-in' }))
  await untilHandled(7)
  for (const { resolve } of handled) resolve('done')
  await Promise.all(answers)
})

for (const method of ['GET', 'POST'] as const)
  test(`A change by ${method} that waited is refused when its session was revoked in the wait, and keeps no turn`, async (t) => {
    const { signedIn, handled, send, untilHandled } = createApp(t, takeChanges)
    const first = Array.from({ length: 3 }, () => send({ method }))
    await untilHandled(3)
    const waiting = Array.from({ length: 5 }, () => send({ method }))
    await untilHandled(3)
    signedIn.delete('ada')
    for (const { resolve } of handled) resolve('done')
    for (const { status } of await Promise.all(first)) assert.equal(status, 200)
    await untilHandled(3)
    for (const { status } of await Promise.all(waiting)) assert.equal(status, 401)
    signedIn.add('ada')
    const later = Array.from({ length: 3 }, () => send({ method }))
    await untilHandled(6)
    for (const { resolve } of handled) resolve('done')
    await Promise.all(later)
  })

test('A change that waited is authenticated with what was committed in the wait', async (t) => {
  const { handled, send, untilHandled, readingCount } = createApp(t, takeChanges, limitDatabaseTime)
  const answers = Array.from({ length: 3 }, () => send({ method: 'GET' }))
  await untilHandled(3)
  answers.push(send({ method: 'GET' }))
  await untilHandled(3)
  assert.equal(readingCount(), 4)
  for (const { resolve } of handled) resolve('done')
  await untilHandled(4)
  assert.equal(readingCount(), 5)
  for (const { resolve } of handled) resolve('done')
  await Promise.all(answers)
})

test('Changes that fail or are refused end their turns', async (t) => {
  const { handled, send, untilHandled } = createApp(t, takeChanges)
  for (let count = 0; count < 4; count += 1) assert.equal((await send({ url: '/change?count=many' })).status, 400)
  const failing = Array.from({ length: 3 }, () => send())
  await untilHandled(3)
  for (const { reject } of handled) reject(new Error('a bug'))
  for (const { status } of await Promise.all(failing)) assert.equal(status, 500)
  const later = Array.from({ length: 3 }, () => send())
  await untilHandled(6)
  for (const { resolve } of handled) resolve('done')
  await Promise.all(later)
})

test('A change whose client disconnects leaves the queue, and a handled one ends its turn when it is done', async (t) => {
  const { app, handled, send, untilHandled } = createApp(t, takeChanges)
  await app.listen({ port: 0 })
  const { port } = app.server.address() as AddressInfo
  const connect = async () => {
    const accepted = once(app.server, 'connection') as Promise<[Socket]>
    const { socket } = await RawConnection.open(port)
    socket.write(`${HEAD}content-length: 0\r\n\r\n`)
    const [served] = await accepted
    await once(app.server, 'request')
    return async () => {
      socket.destroy()
      await once(served, 'close')
    }
  }
  const disconnects = [await connect(), await connect(), await connect()]
  await untilHandled(3)
  disconnects.push(await connect())
  await untilHandled(3)
  for (const disconnect of disconnects) await disconnect()
  const waiting = send()
  await untilHandled(3)
  handled[0]?.resolve('done')
  await untilHandled(4)
  handled[3]?.resolve('done')
  await untilHandled(4)
  assert.equal((await waiting).status, 200)
  for (const { resolve } of handled) resolve('done')
})

test('A change whose body has not arrived takes no turn', async (t) => {
  const connections: RawConnection[] = []
  t.after(() => {
    for (const { socket } of connections) socket.destroy()
  })
  const { app, handled, send, untilHandled } = createApp(t, takeChanges)
  await app.listen({ port: 0 })
  const { port } = app.server.address() as AddressInfo
  for (let count = 0; count < 3; count += 1) {
    const connection = await RawConnection.open(port)
    connections.push(connection)
    connection.send(`${HEAD}content-type: application/json\r\ncontent-length: 2\r\n\r\n{`)
    await once(app.server, 'request')
  }
  const answer = send()
  await untilHandled(1)
  handled[0]?.resolve('done')
  assert.equal((await answer).status, 200)
})

test('While 1,000 changes of a user wait, a further one gets 429 with the seconds to wait', async (t) => {
  const { handled, send, untilHandled } = createApp(t, takeChanges)
  const answers = Array.from({ length: 1_003 }, () => send())
  await untilHandled(3)
  assert.deepEqual(await send(), { status: 429, retryAfter: '1' })
  for (let count = 0; count < answers.length; count += 1) {
    while (handled.length === count) await setImmediate()
    handled[count]?.resolve('done')
  }
  for (const { status } of await Promise.all(answers)) assert.equal(status, 200)
})

test('A list that waited is refused when its session was revoked in the wait, and keeps no turn', async (t) => {
  const { signedIn, handled, send, untilHandled } = createApp(t, (app) => limitLists(app, UNLIMITED))
  const list = { method: 'GET', url: '/list' } as const
  const first = Array.from({ length: 4 }, () => send(list))
  await untilHandled(4)
  const waiting = Array.from({ length: 5 }, () => send(list))
  await untilHandled(4)
  signedIn.delete('ada')
  for (const { resolve } of handled) resolve('done')
  await Promise.all(first)
  await untilHandled(4)
  for (const { status } of await Promise.all(waiting)) assert.equal(status, 401)
  signedIn.add('ada')
  const later = Array.from({ length: 4 }, () => send(list))
  await untilHandled(8)
  for (const { resolve } of handled) resolve('done')
  await Promise.all(later)
})

test('A list that gets no turn is refused with the seconds to wait', async (t) => {
  const { handled, send, untilHandled } = createApp(t, (app) => limitLists(app, UNLIMITED, 1))
  const list = { method: 'GET', url: '/list' } as const
  const first = Array.from({ length: 4 }, () => send(list))
  await untilHandled(4)
  assert.deepEqual(await send(list), { status: 429, retryAfter: '1' })
  for (const { resolve } of handled) resolve('done')
  await Promise.all(first)
})
