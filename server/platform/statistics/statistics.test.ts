import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failWrites } from '../../../test/support/fail-writes.ts'
import { holdTransaction } from '../../../test/support/hold-transaction.ts'
import { createMigratedDatabase } from '../../../test/support/migrated-database.ts'
import { sendTestEmail } from '../../../test/support/send-email.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { startSmtpSink } from '../../../test/support/smtp-sink.ts'
import { until } from '../../../test/support/until.ts'
import { newEmail } from '../../../test/support/users.ts'
import { maintain } from '../../maintenance.ts'
import { parseSmtpUrl } from '../config/smtp-server.ts'
import { openDatabase } from '../database/open.ts'
import { newTimeBudget, withTimeBudget } from '../database/time-budget.ts'
import { createDelivery } from '../mail/delivery.ts'
import { leaseEmail, markFailed, markSent } from '../mail/lease-email.ts'
import { medianDelay } from './email-delays.ts'
import { createPendingCounts } from './pending-counts.ts'
import { addCounts, deleteOldStatistics, hourOf } from './store.ts'

const MINUTE = 60_000
const DAY = 86_400_000

test('medianDelay returns the group that half of the emails do not exceed, and null without emails', () => {
  const median = (counts: Record<string, number>) => medianDelay(new Map(Object.entries(counts)))
  assert.equal(median({}), null)
  assert.equal(median({ 1: 1 }), 1)
  assert.equal(median({ 1: 2, 300: 3 }), 300)
  assert.equal(median({ 1: 3, 300: 3 }), 1)
  assert.equal(median({ 604800: 9, 2: 1 }), 604800)
})

onEachDatabase('Statistics', (service) => {
  const send = () => {
    const email = { subject: 'S', heading: 'H', paragraphs: [], footnote: 'F' }
    return sendTestEmail(service().context, { kind: 'test email', recipient: newEmail(), ...email })
  }

  async function counts(name: string): Promise<Record<string, number>> {
    const { database } = service().context
    const rows = await database.selectFrom('statistics').select(['detail', 'count']).where('name', '=', name).execute()
    return Object.fromEntries(rows.map(({ detail, count }) => [detail, count]))
  }
  const clear = () => service().context.database.deleteFrom('statistics').execute()

  test('Delivery counts sent and failed emails, and the delays of the sent ones', async (t) => {
    const { context } = service()
    const sink = await startSmtpSink()
    const delivery = createDelivery(context, parseSmtpUrl(sink.url))
    t.after(async () => {
      await delivery.stop()
      await sink.close()
    })
    await clear()
    await send()
    await send()
    service().advance(MINUTE * 4)
    await delivery.deliverDue()
    sink.refuseWith(550)
    await send()
    await delivery.deliverDue()
    sink.refuseWith(451)
    await send()
    await delivery.deliverDue()
    assert.deepEqual(await counts('email-sent'), { '': 2 })
    assert.deepEqual(await counts('email-failed'), { '': 1 })
    assert.deepEqual(await counts('email-delay'), { 300: 2 })
    await context.database.deleteFrom('outbox').execute()
  })

  test('A result that comes after the end of its lease is not counted', async () => {
    const { context } = service()
    await clear()
    await send()
    const first = await leaseEmail(context)
    service().advance(3 * MINUTE)
    const second = await leaseEmail(context)
    assert.ok(first && second)
    await markSent(context, first, '250 too late')
    await markFailed(context, first, '550 too late')
    assert.deepEqual([await counts('email-sent'), await counts('email-failed')], [{}, {}])
    await markSent(context, second, '250 fine')
    await markSent(context, second, '250 again')
    assert.deepEqual(await counts('email-sent'), { '': 1 })
  })

  test('Pending counts that could not be saved are saved later, each once', async () => {
    const { context } = service()
    const hour = hourOf(context.now())
    const pending = createPendingCounts(context)
    await clear()
    pending.add([{ name: 'token', hour, detail: '' }])
    const allowWrites = await failWrites(service(), 'statistics')
    await assert.rejects(pending.flush(), /crashed/)
    pending.add([{ name: 'token', hour, detail: '' }])
    await allowWrites()
    await Promise.all([pending.flush(), pending.flush()])
    await pending.close()
    assert.deepEqual(await counts('token'), { '': 2 })
  })

  test('More pending counts than a statement has parameters are saved', async () => {
    const { context } = service()
    const pending = createPendingCounts(context)
    await clear()
    const hour = hourOf(context.now())
    const details = Array.from({ length: 17_000 }, (_, index) => `org_${index}`)
    for (const detail of details) pending.add([{ name: 'token-organization', hour, detail }])
    await pending.flush()
    await pending.close()
    const { length } = Object.keys(await counts('token-organization'))
    assert.equal(length, details.length)
  })

  test('Pending counts of a request that has used up its time for the database are saved', async (t) => {
    const { context } = service()
    const pending = createPendingCounts(context)
    await clear()
    const { mock: timers } = t.mock.method(globalThis, 'setTimeout')
    withTimeBudget(newTimeBudget(0), () => pending.add([{ name: 'token', hour: hourOf(context.now()), detail: '' }]))
    timers.restore()
    for (const call of timers.calls) withTimeBudget(newTimeBudget(0), call.arguments[0])
    await until(async () => (await counts('token'))[''] === 1, 'the count is saved')
    await pending.close()
  })

  test('Concurrent transactions add to the same counters in any order, and none is lost', async () => {
    const { database, now } = service().context
    await clear()
    const hour = hourOf(now())
    const [one, two] = [
      { name: 'ban', hour, detail: '', count: 1 },
      { name: 'unban', hour, detail: '', count: 2 },
    ] as const
    const add = (index: number) =>
      database.transaction().execute((transaction) => addCounts(transaction, index % 2 ? [one, two] : [two, one, one]))
    await Promise.all(Array.from({ length: 20 }, (_, index) => add(index)))
    assert.deepEqual([await counts('ban'), await counts('unban')], [{ '': 30 }, { '': 40 }])
  })

  test('Maintenance deletes counters after 400 days', async () => {
    const { context } = service()
    await clear()
    const counters = Array.from({ length: 150 }, (_, index) => ({
      name: 'ban' as const,
      hour: hourOf(context.now() - 401 * DAY),
      detail: String(index),
      count: 1,
    }))
    await addCounts(context.database, [
      ...counters,
      { name: 'ban', hour: hourOf(context.now() - 399 * DAY), detail: 'kept', count: 1 },
    ])
    await maintain(context)
    assert.deepEqual(await counts('ban'), { kept: 1 })
  })
})

test('A deletion of old counters skips those that a concurrent one has locked', async (t) => {
  const { url, drop } = await createMigratedDatabase('postgres')
  t.after(drop)
  const { database, close } = openDatabase({ engine: 'postgres', url }, () => {}, 'service')
  t.after(close)
  const old = ['1', '2'].map((detail) => ({ name: 'ban' as const, hour: 0, detail, count: 1 }))
  await addCounts(database, old)
  await holdTransaction(t, url, `select from statistics where detail = '1' for update`)
  assert.equal(await deleteOldStatistics(database, 500 * DAY, 100), 1)
})
