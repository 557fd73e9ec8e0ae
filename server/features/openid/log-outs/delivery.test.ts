import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { pino } from 'pino'
import { type LogOutReceiver, startLogOutReceiver } from '../../../../test/support/log-out-receiver.ts'
import { insertOrganizations } from '../../../../test/support/many-organizations.ts'
import { mockPauses } from '../../../../test/support/mock-pauses.ts'
import { insertTestClient } from '../../../../test/support/oauth-clients.ts'
import { createTestApp, payloadOf, signInTo } from '../../../../test/support/openid.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { until } from '../../../../test/support/until.ts'
import { newMember } from '../../../../test/support/users.ts'
import type { Context } from '../../../core/context.ts'
import type { ClientMetadata } from '../../../core/oauth-clients/metadata.ts'
import { maintain } from '../../../maintenance.ts'
import { createKeyring } from '../../../platform/crypto/keyring.ts'
import { newToken } from '../../../platform/crypto/tokens.ts'
import { DatabaseUnavailable } from '../../../platform/database/unavailable.ts'
import { createGuardedFetch } from '../../../platform/http/guarded-fetch.ts'
import { createSigningKeys } from '../../tokens/signing-keys.ts'
import { createLogOutDelivery } from './delivery.ts'
import { logOutGauges } from './gauges.ts'
import { dropSomeLogOuts, leaseLogOut, saveLogOutResult } from './store.ts'
import { storeLogOutOutcome } from './store-log-out-outcome.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const LEASE = 90 * SECOND
const USER = 'usr_who_may_be_deleted'
const HANG_MILLISECONDS = 300

onEachDatabase('delivery of log-outs', (service) => {
  let receiver: LogOutReceiver
  let other: LogOutReceiver
  before(async () => {
    receiver = await startLogOutReceiver()
    other = await startLogOutReceiver()
  })
  after(() => {
    receiver.close()
    other.close()
  })
  beforeEach(async () => {
    for (const { requests } of [receiver, other]) requests.length = 0
    receiver.reply = other.reply = 200
    await database().deleteFrom('oauthLogouts').execute()
  })

  const database = () => service().context.database
  const addClient = (uri: string | undefined = receiver.uri, metadata: Partial<ClientMetadata> = {}) =>
    insertTestClient(service(), { ...(uri && { backchannel_logout_uri: uri }), ...metadata })
  const enqueue = async ({ id: clientId }: { id: string }, count = 1) => {
    const sids = Array.from({ length: count }, () => newToken(service().context))
    for (const sid of sids)
      await database()
        .insertInto('oauthLogouts')
        .values({ id: newToken(service().context), sid, clientId, userId: USER })
        .execute()
    return sids
  }
  // Only a receiver that hangs gets the short deadline: on a busy machine, another one may need longer.
  const deadline = () => (receiver.reply === 'hang' ? HANG_MILLISECONDS : 5 * SECOND)
  const newDelivery = (context: Context = service().context, deadlineMilliseconds = deadline()) =>
    createLogOutDelivery(context, {
      signingKeys: createSigningKeys(context),
      fetch: createGuardedFetch(context.config, { deadlineMilliseconds }),
    })
  const deliver = async (context?: Context, deadlineMilliseconds?: number) => {
    const delivery = newDelivery(context, deadlineMilliseconds)
    await delivery.deliverDue()
    await delivery.stop()
  }
  const rowOf = (sid: string | undefined) =>
    database()
      .selectFrom('oauthLogouts')
      .selectAll()
      .where('sid', '=', sid ?? '')
      .executeTakeFirstOrThrow()
  const failures = () =>
    database().selectFrom('auditEvents').selectAll().where('action', '=', 'oauth-logout.failed').execute()
  /** Delivers at the time of each attempt. */
  const hoursUntilGivenUp = async (sid: string | undefined) => {
    const { now } = service().context
    const startedAt = now()
    for (;;) {
      await deliver()
      const { nextAttemptAt, settledAt } = await rowOf(sid)
      if (settledAt !== null) return (now() - startedAt) / HOUR
      assert.ok(nextAttemptAt > now())
      service().advance(nextAttemptAt - now())
    }
  }

  for (const algorithm of ['RS256', 'ES256'] as const)
    test(`Delivery posts a logout token that verifies with the ${algorithm} key of the service`, async () => {
      const client = await addClient(receiver.uri, { id_token_signed_response_alg: algorithm })
      const [sid] = await enqueue(client)
      await deliver()
      assert.equal(receiver.requests.length, 1)
      const { headers, form } = receiver.requests[0] ?? assert.fail()
      assert.match(headers['content-type'] ?? '', /^application\/x-www-form-urlencoded/)
      assert.deepEqual([...form.keys()], ['logout_token'])
      const { baseUrl, context } = service()
      const keys = createRemoteJWKSet(new URL('/api/auth/jwks', baseUrl))
      const { payload, protectedHeader } = await jwtVerify(form.get('logout_token') ?? '', keys, {
        issuer: baseUrl,
        audience: client.id,
        typ: 'logout+jwt',
        algorithms: [algorithm],
        currentDate: new Date(context.now()),
        maxTokenAge: '2 minutes',
      })
      assert.equal(typeof protectedHeader.kid, 'string')
      const { iat = 0, exp = 0, jti, ...claims } = payload
      assert.ok(exp > iat && exp - iat <= 120)
      assert.equal(jti?.length, 43)
      assert.deepEqual(claims, {
        iss: baseUrl,
        aud: client.id,
        sub: USER,
        sid,
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      })
      const { settledAt, attempts, lastError } = await rowOf(sid)
      assert.deepEqual([settledAt !== null, attempts, lastError], [true, 1, null])
    })

  test('The logout token of a sign-out names the user and the session of the ID token', async () => {
    const user = await newMember(service())
    const tokens = await signInTo(user, await createTestApp(service(), { backchannel_logout_uri: receiver.uri }))
    await user.client.post('/api/auth/sign-out')
    await deliver()
    const { sub, sid } = payloadOf(receiver.requests[0]?.form.get('logout_token') ?? '')
    assert.ok(sid)
    assert.deepEqual([sub, sid], [tokens.claims()?.sub, tokens.claims()?.sid])
  })

  for (const reply of [204, 'endless body', 'unfinished body'] as const)
    test(`Delivery sends a log-out once when the client responds with ${reply}`, async () => {
      receiver.reply = reply
      const [sid] = await enqueue(await addClient())
      await deliver(service().context, MINUTE)
      await deliver()
      assert.deepEqual(receiver.sids(), [sid])
      assert.ok((await rowOf(sid)).settledAt)
      await until(async () => (await receiver.connectionCount()) === 0, 'the connection is closed')
    })

  test('The result of a delivered log-out is stored after the database was unavailable for 2.5 seconds', async (t) => {
    const { context } = service()
    const waits = mockPauses(t)
    const client = await addClient()
    const [sid] = await enqueue(client)
    const leased = (await leaseLogOut(database(), client.id, context.now())) ?? assert.fail()
    const update = t.mock.method(database(), 'updateTable')
    for (const call of [0, 1])
      update.mock.mockImplementationOnce(() => {
        throw new DatabaseUnavailable('the connection was lost')
      }, call)
    await storeLogOutOutcome(context, leased, undefined, { verdict: 'delivered', reason: '' })
    assert.deepEqual(waits, [500, 2_000])
    assert.ok((await rowOf(sid)).settledAt)
  })

  const faults: [name: string, reply: () => LogOutReceiver['reply']][] = [
    ...[400, 404, 429, 500, 503].map((status): [string, () => number] => [`status ${status}`, () => status]),
    ['no response', () => 'hang'],
    ['a reset connection', () => 'reset'],
    ['a redirect to another server', () => other.uri],
    ['a redirect to a private network', () => 'http://169.254.169.254/'],
  ]
  for (const [name, reply] of faults)
    test(`Delivery tries again after 5 seconds, with a new token, after ${name}`, async () => {
      receiver.reply = reply()
      const [sid] = await enqueue(await addClient())
      await deliver()
      const { attempts, settledAt, nextAttemptAt, lastError } = await rowOf(sid)
      assert.deepEqual([attempts, settledAt], [1, null])
      assert.ok(nextAttemptAt - service().context.now() > 4 * SECOND)
      assert.ok(lastError)
      await deliver()
      assert.equal(receiver.requests.length, 1, 'it is not due')
      service().advance(5 * SECOND)
      receiver.reply = 200
      await deliver()
      assert.deepEqual(receiver.sids(), [sid, sid])
      const [first, second] = receiver.requests.map(({ form }) => form.get('logout_token'))
      assert.notEqual(first, second)
      assert.equal(other.requests.length, 0, 'a redirect is not followed')
      assert.ok((await rowOf(sid)).settledAt)
    })

  test('Delivery sends nothing to a private network', async () => {
    const [sid] = await enqueue(await addClient('https://10.0.0.1/log-out'))
    await deliver()
    const { attempts, lastError } = await rowOf(sid)
    assert.deepEqual([attempts, lastError], [1, 'The host is not on the public Internet.'])
  })

  test('Delivery stores the code of a failed connection to a host with several addresses', async () => {
    const [sid] = await enqueue(await addClient())
    const { context } = service()
    const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })
    const fetch = () => Promise.reject(refused)
    await createLogOutDelivery(context, { signingKeys: createSigningKeys(context), fetch }).deliverDue()
    assert.equal((await rowOf(sid)).lastError, 'ECONNREFUSED')
  })

  test('Delivery waits longer after each attempt, and gives up after a day with an audit event', async () => {
    receiver.reply = 400
    const client = await addClient()
    const [sid] = await enqueue(client)
    const failuresOfClient = async () =>
      (await failures()).filter(({ details }) => JSON.parse(details).clientId === client.id)
    const delays: number[] = []
    for (;;) {
      const before = service().context.now()
      await deliver()
      const { nextAttemptAt, settledAt } = await rowOf(sid)
      if (settledAt !== null) break
      delays.push(Math.round((nextAttemptAt - before) / SECOND) * SECOND)
      assert.equal((await failuresOfClient()).length, 0)
      service().advance(nextAttemptAt - service().context.now())
    }
    assert.deepEqual(delays.slice(0, 6), [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, HOUR])
    assert.ok(Math.abs(delays.reduce((sum, delay) => sum + delay) - 24 * HOUR) <= MINUTE)
    const [event, ...others] = await failuresOfClient()
    const { attempts } = await rowOf(sid)
    assert.equal(attempts, receiver.requests.length)
    assert.equal(others.length, 0)
    assert.deepEqual([event?.subjectId, event?.userAgent], [USER, 'maintenance'])
    assert.deepEqual(JSON.parse(event?.details ?? ''), { clientId: client.id, name: client.name, attempts })
    service().advance(24 * HOUR)
    await deliver()
    assert.equal(receiver.requests.length, attempts)
  })

  test('Delivery tries a day longer when the clock was two days behind at the first attempt', async () => {
    receiver.reply = 500
    const [sid] = await enqueue(await addClient())
    await deliver()
    const behind = { firstAttemptAt: service().context.now() - 48 * HOUR, nextAttemptAt: 0 }
    await database().updateTable('oauthLogouts').set(behind).execute()
    const hours = await hoursUntilGivenUp(sid)
    assert.ok(hours > 23 && hours < 26, `${hours} hours`)
  })

  test('Delivery gives up after a day, and the gauge counts from the correction, when the clock was a year ahead at the first attempt', async () => {
    receiver.reply = 500
    const [sid] = await enqueue(await addClient())
    const [year, failureCount] = [365 * 24 * HOUR, (await failures()).length]
    service().advance(year)
    await deliver()
    service().advance(-year)
    await deliver()
    service().advance(HOUR)
    const [, oldest] = logOutGauges(service().context)
    const oldestSeconds = (await oldest?.read()) ?? 0
    assert.ok(oldestSeconds >= 3600 && oldestSeconds < 3700, `${oldestSeconds} seconds`)
    const hours = await hoursUntilGivenUp(sid)
    assert.ok(hours > 22 && hours < 26, `${hours} hours`)
    assert.equal((await failures()).length, failureCount + 1)
  })

  test('Delivery gives up after a week, although a client with many log-outs got few attempts', async () => {
    receiver.reply = 500
    const [sid] = await enqueue(await addClient())
    await deliver()
    service().advance(7 * 24 * HOUR - MINUTE)
    await deliver()
    assert.equal((await rowOf(sid)).settledAt, null)
    service().advance(MINUTE)
    await deliver()
    assert.ok((await rowOf(sid)).settledAt)
  })

  test('A client that does not respond delays no other, and gets few requests', async () => {
    receiver.reply = 'hang'
    await enqueue(await addClient(), 20)
    const sids = await enqueue(await addClient(other.uri), 20)
    const delivery = newDelivery()
    const delivered = delivery.deliverDue()
    await until(() => other.requests.length === 20, 'the other client has its log-outs')
    assert.deepEqual(other.sids().toSorted(), sids.toSorted())
    await delivered
    await delivery.deliverDue()
    assert.ok(receiver.requests.length <= 3, `${receiver.requests.length} requests`)
    service().advance(10 * SECOND)
    await delivery.deliverDue()
    assert.ok(receiver.requests.length <= 4, `${receiver.requests.length} requests`)
    receiver.reply = 200
    service().advance(MINUTE)
    await delivery.deliverDue()
    await delivery.deliverDue()
    await delivery.stop()
    assert.equal(new Set(receiver.sids()).size, 20)
  })

  /** Slow clients occupy all lanes. Answers one of them after the other, until another client gets its first log-out. */
  async function assertDelayed(
    enqueueSlow: (uri: string) => Promise<unknown>,
    enqueueOther: () => Promise<string[]>,
    answersMaximum: number,
  ) {
    const held: ServerResponse[] = []
    const slow = createServer((_request, response) => void held.push(response)).listen(0, '127.0.0.1')
    await once(slow, 'listening')
    const delivery = newDelivery(service().context, MINUTE)
    await enqueueSlow(`http://127.0.0.1:${(slow.address() as AddressInfo).port}/log-out`)
    const delivered = [delivery.deliverDue()]
    await until(() => held.length === 60, 'all lanes wait for slow clients')
    const sids = await enqueueOther()
    delivered.push(delivery.deliverDue())
    for (let answered = 0; answered < answersMaximum && other.requests.length === 0; answered += 1) {
      held[answered]?.writeHead(200).end()
      await until(() => held.length + other.requests.length > 60 + answered, 'a lane goes on')
    }
    await until(() => other.requests.length === sids.length, 'the other client has its log-outs')
    assert.deepEqual(other.sids().toSorted(), sids.toSorted())
    slow.removeAllListeners('request')
    slow.on('request', (_request, response) => response.writeHead(200).end())
    for (const response of held.filter(({ writableEnded }) => !writableEnded)) response.writeHead(200).end()
    await Promise.all(delivered)
    await delivery.stop()
    slow.close()
  }

  test('Clients that answer slowly do not delay another one until they have all their log-outs', async () => {
    const enqueueSlow = async (uri: string) => {
      for (let count = 0; count < 25; count += 1) await enqueue(await addClient(uri), 4)
    }
    await assertDelayed(enqueueSlow, async () => enqueue(await addClient(other.uri)), 20)
  })

  for (const [name, organizationCount, clientCount, logOutCount] of [
    ['one organization', 1, 100, 40],
    ['65 organizations', 65, 3, 1],
  ] as const)
    test(`Many slow clients of ${name} delay another one only until each organization has got a log-out`, async () => {
      const { id: userId } = await newMember(service())
      await insertOrganizations(service(), userId, organizationCount + 1)
      const enqueueOf = async (organization: number, uri: string, count = 1) => {
        const organizationId = `org-${userId}-${organization}`
        return enqueue(await insertTestClient(service(), { backchannel_logout_uri: uri }, { organizationId }), count)
      }
      const enqueueSlow = async (uri: string) => {
        for (let client = 0; client < clientCount; client += 1)
          for (let organization = 1; organization <= organizationCount; organization += 1)
            await enqueueOf(organization, uri)
      }
      const enqueueOther = () => enqueueOf(organizationCount + 1, other.uri, logOutCount)
      await assertDelayed(enqueueSlow, enqueueOther, organizationCount + 20)
    })

  test('A client that responds with 429 or 5xx gets few requests, and one that refuses log-outs gets all', async () => {
    for (const [status, requestsMaximum] of [
      [429, 3],
      [503, 3],
      [400, 10],
    ] as const) {
      receiver.reply = status
      receiver.requests.length = 0
      await enqueue(await addClient(), 10)
      await deliver()
      const { length } = receiver.requests
      assert.ok(requestsMaximum === 10 ? length === 10 : length <= requestsMaximum, `${status}: ${length} requests`)
      await database().deleteFrom('oauthLogouts').execute()
    }
  })

  test('stop waits for the requests in flight and sends no other', async () => {
    const sids = await enqueue(await addClient(), 200)
    const delivery = newDelivery()
    delivery.start()
    await until(() => receiver.requests.length > 0, 'a request is in flight')
    await delivery.stop()
    const { length } = receiver.requests
    assert.ok(length < sids.length, 'the others wait for the next start')
    const rows = await Promise.all(sids.map(rowOf))
    assert.equal(rows.filter(({ settledAt }) => settledAt !== null).length, length)
    assert.ok(rows.every(({ leasedUntil }) => leasedUntil === 0))
  })

  test('Concurrent processes deliver each log-out once', async () => {
    const sids = await enqueue(await addClient(), 60)
    await Promise.all([deliver(), deliver(), deliver(), deliver()])
    assert.deepEqual(receiver.sids().toSorted(), sids.toSorted())
  })

  test('A process whose clock is a minute ahead does not deliver a log-out that is in flight', async () => {
    const [sid] = await enqueue(await addClient())
    receiver.reply = 'hang'
    const delivery = newDelivery()
    delivery.start()
    await until(() => receiver.requests.length > 0, 'the request is in flight')
    const { context } = service()
    await deliver({ ...context, now: () => context.now() + MINUTE })
    await delivery.stop()
    assert.deepEqual(receiver.sids(), [sid])
  })

  test('Another process delivers a log-out after the lease of a crashed process', async () => {
    const client = await addClient()
    const [sid] = await enqueue(client)
    const lease = () => leaseLogOut(database(), client.id, service().context.now())
    const first = await lease()
    assert.equal(first?.sid, sid)
    assert.equal(await lease(), undefined)
    service().advance(LEASE)
    const second = await lease()
    assert.equal(second?.sid, sid)
    const result = { attempts: 1, lastError: null, settledAt: service().context.now() }
    assert.equal(await saveLogOutResult(database(), first ?? assert.fail(), result), false, 'its lease has ended')
    assert.equal(await saveLogOutResult(database(), second ?? assert.fail(), result), true)
  })

  test('Delivery sends log-outs that were postponed while the clock was a day ahead', async () => {
    const [sid] = await enqueue(await addClient())
    const ahead = service().context.now() + 24 * HOUR
    await database().updateTable('oauthLogouts').set({ nextAttemptAt: ahead, leasedUntil: ahead }).execute()
    await deliver()
    assert.deepEqual(receiver.sids(), [sid])
  })

  test('Delivery drops the log-outs of a deleted client, and of one that no longer wants log-outs', async () => {
    const [deleted, changed] = [await addClient(), await addClient()]
    const sids = [...(await enqueue(deleted)), ...(await enqueue(changed))]
    await database().deleteFrom('oauthClients').where('id', '=', deleted.id).execute()
    await database()
      .updateTable('oauthClients')
      .set({ backchannelLogoutUri: null })
      .where('id', '=', changed.id)
      .execute()
    await deliver()
    assert.equal(receiver.requests.length, 0)
    for (const sid of sids) assert.ok((await rowOf(sid)).settledAt)
    assert.ok((await failures()).every(({ details }) => !details.includes(deleted.id)))
  })

  test('A batch drops nothing of a client that wants log-outs again', async () => {
    const { id: clientId } = await addClient()
    const [sid] = await enqueue({ id: clientId })
    assert.equal(await dropSomeLogOuts(database(), { clientId, now: service().context.now(), limit: 25 }), 0)
    assert.equal((await rowOf(sid)).settledAt, null)
  })

  test('Delivery logs one line with the count for each client whose log-outs it drops', async () => {
    const lines: string[] = []
    const log = pino({}, { write: (line: string) => void lines.push(line) })
    const deleted = await addClient()
    await enqueue(deleted, 30)
    await database().deleteFrom('oauthClients').where('id', '=', deleted.id).execute()
    await deliver({ ...service().context, log })
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)).map(({ level, clientId, count }) => ({ level, clientId, count })),
      [{ level: 40, clientId: deleted.id, count: 30 }],
    )
  })

  test('deliverDue drops the log-outs of a client that was deleted while those of another one are dropped', async () => {
    const [first, second] = [await addClient(), await addClient()]
    await enqueue(first, 100)
    const deleteClient = ({ id }: { id: string }) =>
      database().deleteFrom('oauthClients').where('id', '=', id).execute()
    await deleteClient(first)
    const delivery = newDelivery()
    const former = delivery.deliverDue()
    const dropped = () =>
      database().selectFrom('oauthLogouts').select('id').where('settledAt', 'is not', null).execute()
    await until(async () => (await dropped()).length > 0, 'the first log-outs are dropped')
    const [sid] = await enqueue(second)
    await deleteClient(second)
    await delivery.deliverDue()
    assert.ok((await rowOf(sid)).settledAt)
    await former
    await delivery.stop()
  })

  test('A client that wanted no log-outs for a while begins with the shortest pause', async () => {
    const client = await addClient()
    const setUri = (backchannelLogoutUri: string | null) =>
      database().updateTable('oauthClients').set({ backchannelLogoutUri }).where('id', '=', client.id).execute()
    const delivery = newDelivery()
    receiver.reply = 503
    await enqueue(client)
    await delivery.deliverDue()
    await setUri(null)
    service().advance(7 * SECOND)
    await delivery.deliverDue()
    await setUri(receiver.uri)
    const [sid] = await enqueue(client)
    await delivery.deliverDue()
    receiver.reply = 200
    service().advance(7 * SECOND)
    await delivery.deliverDue()
    await delivery.stop()
    assert.equal(receiver.requests.length, 3)
    assert.ok((await rowOf(sid)).settledAt)
  })

  test('A process without the SECRET of the signing keys postpones log-outs, and another process delivers them', async () => {
    const { context } = service()
    const keyring = createKeyring('a secret that only another process knows', context.randomBytes)
    const sids = await enqueue(await addClient(), 10)
    await deliver({ ...context, keyring })
    const rows = await Promise.all(sids.map(rowOf))
    assert.ok(rows.every(({ attempts, settledAt }) => attempts === 0 && settledAt === null))
    assert.ok(rows.filter(({ nextAttemptAt }) => nextAttemptAt > 0).length <= 3, 'it does not try all of them')
    service().advance(LEASE)
    await deliver()
    assert.deepEqual(receiver.sids().toSorted(), sids.toSorted())
  })

  test('The log and the stored error of a refused log-out contain no token', async () => {
    const lines: string[] = []
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
    receiver.reply = 500
    const [sid] = await enqueue(await addClient())
    await deliver({ ...service().context, log })
    const token = receiver.requests[0]?.form.get('logout_token') ?? assert.fail()
    assert.match(lines.join(''), /a log-out was not delivered/)
    const { lastError } = await rowOf(sid)
    for (const part of token.split('.')) assert.ok(![...lines, lastError].join('').includes(part))
  })

  test('Delivery counts its attempts by outcome', async () => {
    const { totals } = service().context
    const counts = () => Object.fromEntries(totals.entries('accounts_logout_attempts_total'))
    const before = counts()
    await enqueue(await addClient(), 2)
    await deliver()
    assert.equal(counts().delivered, (before.delivered ?? 0) + 2)
  })

  test('The gauges have the number of waiting log-outs and the time since the first attempt', async () => {
    const read = () => Promise.all(logOutGauges(service().context).map((gauge) => gauge.read()))
    assert.deepEqual(await read(), [0, 0])
    const client = await addClient()
    await enqueue(client, 2)
    assert.deepEqual(await read(), [2, 0])
    await leaseLogOut(database(), client.id, service().context.now())
    service().advance(HOUR)
    const [waiting, oldestSeconds = 0] = await read()
    assert.equal(waiting, 2)
    assert.ok(oldestSeconds >= 3600 && oldestSeconds < 3700)
  })

  test('Maintenance deletes delivered log-outs after 7 days, and no waiting one', async () => {
    const client = await addClient()
    const [delivered] = await enqueue(client)
    await deliver()
    const [waiting] = await enqueue(client)
    const left = async () => {
      await maintain(service().context)
      const rows = await database().selectFrom('oauthLogouts').select('sid').execute()
      return rows.map(({ sid }) => sid).toSorted()
    }
    service().advance(7 * 24 * HOUR - MINUTE)
    assert.deepEqual(await left(), [delivered, waiting].toSorted())
    service().advance(MINUTE)
    assert.deepEqual(await left(), [waiting])
  })
})
