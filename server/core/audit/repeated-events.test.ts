import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { bearerClient } from '../../../test/support/bearer-client.ts'
import { onEachDatabase, type Service, startService } from '../../../test/support/service.ts'
import { userWithRole } from '../../../test/support/staff.ts'
import { until } from '../../../test/support/until.ts'
import { administrator, newEmail, newUser, type TestUser } from '../../../test/support/users.ts'
import { newTimeBudget, withTimeBudget } from '../../platform/database/time-budget.ts'
import type { AuditAction } from './actions.ts'
import { OPERATOR } from './actor.ts'
import { linkNewEvents } from './chain.ts'
import { createRepeatedEvents } from './repeated-events.ts'
import { verifyChain } from './verify-chain.ts'

const MINUTE = 60_000
const BAN = '/api/auth/admin/ban-user'

interface Listed {
  id: string
  createdAt: string
  action: string
  ipAddress: string | null
  actorId: string | null
  impersonatedBy: string | null
  sequence: number | null
  details: { count: number; route?: string; code?: string }
}

onEachDatabase('repeated audit events', (service, engine) => {
  /** Closes the windows of a flood, so that the next test begins below the maximum. */
  afterEach(async () => {
    service().advance(11 * MINUTE)
    await service().context.repeatedEvents.save()
  })

  test('A service that stops saves the refusals that it has counted', async () => {
    const other = await userWithRole(service(), await administrator(service()))
    const beside = await startService({ engine, beside: service() })
    assert.equal((await bearerClient(beside, other).post(BAN, { userId: other.id })).status, 403)
    await beside.stop()
    const events = service().context.database.selectFrom('auditEvents').select('action').where('actorId', '=', other.id)
    assert.equal((await events.where('action', '=', 'access.refused').execute()).length, 1)
  })

  test('Refused requests are one audit event for each caller, route and ten minutes, with a count', async () => {
    const admin = await administrator(service())
    const support = await userWithRole(service(), admin, 'support')
    const other = await userWithRole(service(), admin)
    for (let call = 0; call < 5; call += 1) await other.client.post(BAN, { userId: admin.id })
    await other.client.get('/api/auth/admin/list-users')
    await support.client.post(BAN, { userId: admin.id })
    const refusals = await listed(service(), 'access.refused', { actorId: other.id })
    assert.deepEqual(
      refusals.map(({ details }) => details).toSorted((one, two) => one.count - two.count),
      [
        { route: '/api/auth/admin/list-users', code: 'FORBIDDEN', count: 1 },
        { route: BAN, code: 'FORBIDDEN', count: 5 },
      ],
    )
    assert.equal((await listed(service(), 'access.refused', { actorId: support.id })).length, 1)
  })

  test('Refused requests of a user, and of each of the staff who impersonate the user, are different events', async () => {
    const admin = await administrator(service())
    const other = await userWithRole(service(), admin, 'admin')
    const user = await userWithRole(service(), admin)
    const refuse = ({ client }: TestUser) => client.get('/api/auth/admin/list-users')
    await refuse(user)
    for (const staff of [admin, other]) {
      await staff.client.post('/api/auth/admin/impersonate-user', { userId: user.id })
      await refuse(staff)
    }
    await admin.client.post('/api/auth/admin/stop-impersonating')
    const refusals = await listed(service(), 'access.refused', { actorId: user.id })
    assert.deepEqual(
      refusals.map(({ impersonatedBy, details: { count } }) => [impersonatedBy, count]).toSorted(),
      [
        [null, 1],
        [admin.id, 1],
        [other.id, 1],
      ].toSorted(),
    )
  })

  test('A refusal within ten minutes increments the count, and a later one is another event', async () => {
    const other = await userWithRole(service(), await administrator(service()))
    const counts = async () =>
      (await listed(service(), 'access.refused', { actorId: other.id })).map(({ details }) => details.count)
    const refuse = () => other.client.post(BAN, { userId: other.id })
    await refuse()
    assert.deepEqual(await counts(), [1])
    service().advance(9 * MINUTE)
    await refuse()
    assert.deepEqual(await counts(), [2])
    service().advance(MINUTE)
    await refuse()
    assert.deepEqual((await counts()).toSorted(), [1, 2])
  })

  test('An event is linked when its count can no longer grow, and the chain verifies at all times', async () => {
    const other = await userWithRole(service(), await administrator(service()))
    await other.client.post(BAN, { userId: other.id })
    const linked = async () => {
      await linkNewEvents(service().context)
      const { problem } = await verifyChain(service().context, undefined, () => {})
      assert.equal(problem, undefined)
      return (await listed(service(), 'access.refused', { actorId: other.id })).map(({ sequence }) => sequence !== null)
    }
    assert.deepEqual(await linked(), [false])
    await other.client.post(BAN, { userId: other.id })
    assert.deepEqual(await linked(), [false])
    service().advance(10 * MINUTE)
    assert.deepEqual(await linked(), [false])
    service().advance(2 * MINUTE)
    assert.deepEqual(await linked(), [true])
  })

  test('An occurrence that is saved after its event was linked is another event', async () => {
    const { context } = service()
    const subjectId = await newUser(service())
    const add = () => context.repeatedEvents.add(OPERATOR, { action: 'sign-in.failed', subjectId })
    const later = { ...context, now: () => context.now() + 12 * MINUTE }
    // A long backlog of other tests would last until the second occurrence is saved.
    await linkNewEvents(later)
    add()
    await context.repeatedEvents.save()
    add()
    await linkNewEvents(later)
    await context.repeatedEvents.save()
    await linkNewEvents(later)
    const events = await listed(service(), 'sign-in.failed', { subjectId })
    assert.deepEqual(
      events.map(({ details }) => details.count),
      [1, 1],
    )
    assert.equal((await verifyChain(context, undefined, () => {})).problem, undefined)
  })

  test('An occurrence that is added while its event is saved is saved next', async () => {
    const { context } = service()
    const subjectId = await newUser(service())
    const event = { action: 'sign-in.failed', subjectId } as const
    let isAdding = true
    const keyring = {
      ...context.keyring,
      mac: (...parameters: Parameters<typeof context.keyring.mac>) => {
        if (isAdding) events.add(OPERATOR, event)
        isAdding = false
        return context.keyring.mac(...parameters)
      },
    }
    const events = createRepeatedEvents({ ...context, keyring })
    const listCounts = async () => {
      await events.save()
      return (await listed(service(), 'sign-in.failed', { subjectId })).map(({ details }) => details.count)
    }
    events.add(OPERATOR, event)
    assert.deepEqual([await listCounts(), await listCounts()], [[1], [2]])
  })

  test('verifyChain finds a forged count and a longer window', async () => {
    const other = await userWithRole(service(), await administrator(service()))
    await other.client.post(BAN, { userId: other.id })
    const [event] = await listed(service(), 'access.refused', { actorId: other.id })
    const { database } = service().context
    const change = (values: { details?: string; openUntil?: number }) =>
      database
        .updateTable('auditEvents')
        .set(values)
        .where('id', '=', event?.id ?? '')
        .returning(['details', 'openUntil'])
        .executeTakeFirstOrThrow()
    const row = await database
      .selectFrom('auditEvents')
      .select(['details', 'openUntil'])
      .where('id', '=', event?.id ?? '')
      .executeTakeFirstOrThrow()
    for (const forged of [{ details: '{"count":0}' }, { openUntil: 8_640_000_000_000 }]) {
      await change(forged)
      const { problem } = await verifyChain(service().context, undefined, () => {})
      assert.match(problem ?? '', new RegExp(`Event ${event?.id}, not linked yet, was changed`))
      await change({ details: row.details, ...(row.openUntil !== null && { openUntil: row.openUntil }) })
    }
    assert.equal((await verifyChain(service().context, undefined, () => {})).problem, undefined)
  })

  test('Failed sign-ins to one user from one network are one event, without unknown email addresses', async () => {
    const { email, id } = await userWithRole(service(), await administrator(service()))
    const client = service().client()
    for (let guess = 0; guess < 4; guess += 1)
      await client.post('/api/auth/sign-in/email', { email, password: 'a wrong password' })
    const [known, ...more] = await listed(service(), 'sign-in.failed', { subjectId: id })
    const details = (reason: string) => ({ method: 'password', reason, count: 4 })
    assert.deepEqual([known?.details, more], [details('wrong password'), []])
    for (let guess = 0; guess < 4; guess += 1)
      await client.post('/api/auth/sign-in/email', { email: newEmail(), password: 'a wrong password' })
    const unknown = (await listed(service(), 'sign-in.failed', {})).filter(
      ({ ipAddress }) => ipAddress === known?.ipAddress,
    )
    assert.deepEqual(
      unknown.toSorted((one, other) => one.createdAt.localeCompare(other.createdAt)).map((event) => event.details),
      [details('wrong password'), details('unknown email address')],
    )
  })

  test('A reached limit is an audit event', async () => {
    const { email } = await userWithRole(service(), await administrator(service()))
    const client = service().client()
    let status = 0
    for (let guess = 0; guess < 500 && status !== 429; guess += 1)
      status = (await client.post('/api/auth/sign-in/email', { email, password: `wrong ${guess}` })).status
    assert.equal(status, 429)
    const reached = await listed(service(), 'limit.reached', {})
    assert.ok(reached.some(({ details }) => details.route === '/api/auth/sign-in/email' && details.count >= 1))
  })

  test('Events that could not be saved are saved later', async () => {
    const { context } = service()
    const subjectId = await newUser(service())
    await context.database.schema.alterTable('auditEvents').renameTo('auditEventsAway').execute()
    context.repeatedEvents.add(OPERATOR, { action: 'sign-in.failed', subjectId })
    await assert.rejects(context.repeatedEvents.save(), /auditEvents/)
    context.repeatedEvents.add(OPERATOR, { action: 'sign-in.failed', subjectId })
    await context.database.schema.alterTable('auditEventsAway').renameTo('auditEvents').execute()
    const [event] = await listed(service(), 'sign-in.failed', { subjectId })
    assert.equal(event?.details.count, 2)
  })

  test('An event of a request that has used up its time for the database is saved', async () => {
    const { context } = service()
    const subjectId = await newUser(service())
    // The next event starts the timer of the next save.
    await context.repeatedEvents.save()
    const event = { action: 'sign-in.failed', subjectId } as const
    withTimeBudget(newTimeBudget(0), () => context.repeatedEvents.add(OPERATOR, event))
    const saved = context.database.selectFrom('auditEvents').select('id').where('subjectId', '=', subjectId)
    const isSaved = async () => (await saved.where('action', '=', 'sign-in.failed').executeTakeFirst()) !== undefined
    await until(isSaved, 'the event is saved')
  })

  for (const [path, action] of [
    ['/api/auth/request-password-reset', 'password.reset-requested'],
    ['/api/auth/send-verification-email', 'email.verification-requested'],
  ] as const) {
    test(`Requests for ${path} are one event for each network and user`, async () => {
      const { email, id } = await userWithRole(service(), await administrator(service()))
      const client = service().client()
      for (let request = 0; request < 4; request += 1) {
        await client.post(path, { email })
        await client.post(path, { email: newEmail() })
      }
      const events = (await listed(service(), action, {})).filter(({ ipAddress }) => ipAddress === client.address)
      assert.deepEqual(
        events.map(({ details }) => details),
        [{ count: 4 }, { count: 4 }],
      )
      assert.equal((await listed(service(), action, { subjectId: id })).length, 1)
    })
  }

  test('Refusals of all networks in one IPv6 /48 are one event', async () => {
    const site = '2001:db8:77'
    const headers = { origin: 'https://evil.example', cookie: `session=${'A'.repeat(43)}` }
    for (let network = 0; network < 5; network += 1) {
      const options = { headers: { ...headers, 'x-forwarded-for': `${site}:${network}::1` } }
      assert.equal((await service().client().post('/api/auth/sign-out', {}, options)).status, 403)
    }
    const refusals = await listed(service(), 'access.refused', {})
    const ofSite = refusals.filter(({ ipAddress }) => ipAddress?.startsWith(site))
    assert.deepEqual(
      ofSite.map(({ details }) => details.count),
      [5],
    )
  })

  test('A flood from more networks than the maximum is counted by route, and hides no caller', async () => {
    const networks = 6_000
    flood(service(), '/flood', 0, networks)
    const caller = await userWithRole(service(), await administrator(service()))
    await caller.client.post(BAN, { userId: caller.id })
    assert.equal((await listed(service(), 'access.refused', { actorId: caller.id })).length, 1)
    const rows = await listFlood(service(), '/flood')
    assert.equal(totalOf(rows), networks)
    assert.ok(rows.length <= 5_001, String(rows.length))
    assert.equal(rows.filter(({ ipAddress }) => ipAddress === null).length, 1)
  })

  test('A flood while the database is away stays within the maximum, also after the windows have closed', async () => {
    const { repeatedEvents, database } = service().context
    // No window of another test is open.
    service().advance(11 * MINUTE)
    await repeatedEvents.save()
    await database.schema.alterTable('auditEvents').renameTo('auditEventsAway').execute()
    flood(service(), '/away', 0, 6_000)
    service().advance(11 * MINUTE)
    flood(service(), '/away', 0, 6_000)
    service().advance(11 * MINUTE)
    await assert.rejects(repeatedEvents.save(), /auditEvents/)
    flood(service(), '/away', 6_000, 12_000)
    await database.schema.alterTable('auditEventsAway').renameTo('auditEvents').execute()
    await repeatedEvents.save()
    const rows = await listFlood(service(), '/away')
    assert.equal(totalOf(rows), 18_000)
    assert.ok(rows.length <= 5_003, String(rows.length))
  })
})

/** One refusal for each network. */
function flood({ context }: Service, route: string, from: number, to: number): void {
  for (let network = from; network < to; network += 1) {
    const ipAddress = `11.${network >> 16}.${(network >> 8) & 255}.${network & 255}`
    const actor = { ...OPERATOR, ipAddress, userAgent: null }
    context.repeatedEvents.add(actor, { action: 'access.refused', details: { route, code: 'FORBIDDEN' } })
  }
}

function listFlood({ context: { database } }: Service, route: string) {
  return database
    .selectFrom('auditEvents')
    .select(['details', 'ipAddress'])
    .where('details', 'like', `%"${route}"%`)
    .execute()
}

function totalOf(rows: { details: string }[]): number {
  return rows.reduce((sum, { details }) => sum + (JSON.parse(details) as { count: number }).count, 0)
}

async function listed(
  service: Service,
  action: AuditAction,
  filter: Partial<Record<'actorId' | 'subjectId', string>>,
): Promise<Listed[]> {
  await service.context.repeatedEvents.save()
  const admin: TestUser = await administrator(service)
  const query = new URLSearchParams({ action, limit: '500', ...filter })
  const answer = await admin.client.get(`/api/auth/admin/list-audit-events?${query}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.events
}
