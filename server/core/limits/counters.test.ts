import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Kysely } from 'kysely'
import { SECRET } from '../../../test/support/config-problems.ts'
import { onEachDatabase, type Service, startService } from '../../../test/support/service.ts'
import { maintain } from '../../maintenance.ts'
import { readConfig } from '../../platform/config/config.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { type Budget, type Charge, type Counters, createLocalCounters } from './counters.ts'
import { accountBudget, changeBudgets, passwordNetworkBudgets } from './limits.ts'
import { createSharedCounters } from './shared-counters.ts'

const MINUTE = 60_000

onEachDatabase('Counters', (service) => {
  const newBudget = (): Budget => ({ key: randomUUID(), limit: 3, windowMilliseconds: 5 * MINUTE })
  const countersAt = (now: () => number): Counters =>
    service().engine === 'postgres'
      ? createSharedCounters(service().context.database, now, service().config.limits)
      : createLocalCounters(now)
  const use = (budget: Budget): Charge => ({ budget, used: 1, reserved: 0 })
  const usageOf = async (counters: Counters, budget: Budget) => {
    const [usage] = await counters.charge([{ budget, used: 0, reserved: 0 }])
    return [usage?.used, usage?.reserved]
  }

  test('A counter restarts at zero when its window ends, and not before', async () => {
    let now = Date.now()
    const counters = countersAt(() => now)
    const budget = newBudget()
    await counters.charge([use(budget)])
    now += 5 * MINUTE - 1
    await counters.charge([use(budget)])
    assert.deepEqual(await usageOf(counters, budget), [2, 0])
    now += 1
    assert.deepEqual(await usageOf(counters, budget), [0, 0])
  })

  test('A counter that a wrong clock created in the future does not count after the correction of the clock', async () => {
    let now = Date.now() + 365 * 24 * 60 * MINUTE
    const counters = countersAt(() => now)
    const budget = newBudget()
    await counters.charge([use(budget)])
    now = Date.now()
    assert.deepEqual(await usageOf(counters, budget), [0, 0])
  })

  test('Counters count every concurrent charge, in any order of the budgets', async () => {
    const counters = countersAt(Date.now)
    const [one, other] = [newBudget(), newBudget()]
    const reserve = (budget: Budget): Charge => ({ budget, used: 0, reserved: 1 })
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        counters.charge(index % 2 ? [reserve(one), use(other)] : [use(other), reserve(one)]),
      ),
    )
    assert.deepEqual(await usageOf(counters, one), [0, 50])
    assert.deepEqual(await usageOf(counters, other), [50, 0])
  })

  test('A counter never has a negative number of reservations, and loses all uses when it is restored', async () => {
    const counters = countersAt(Date.now)
    const budget = newBudget()
    await counters.charge([{ budget, used: 0, reserved: -1 }])
    await counters.charge([{ budget, used: 1, reserved: 1 }])
    assert.deepEqual(await usageOf(counters, budget), [1, 1])
    const other = newBudget()
    await counters.charge([use(other)])
    const release = { used: 0, reserved: -1 } as const
    await counters.charge([
      { budget, ...release, restores: true },
      { budget: other, ...release },
    ])
    assert.deepEqual(await usageOf(counters, budget), [0, 0])
    assert.deepEqual(await usageOf(counters, other), [1, 0])
  })

  test('The purge deletes expired counters', async () => {
    const { context } = service()
    const counters = countersAt(context.now)
    const expiring = Array.from({ length: 150 }, newBudget)
    for (const budget of expiring) await counters.charge([use(budget)])
    service().advance(6 * MINUTE)
    const budget = newBudget()
    await counters.charge([use(budget)])
    await maintain(context)
    const keys = [budget, ...expiring].map(({ key }) => key)
    const rows = await context.database.selectFrom('rateLimits').select('key').where('key', 'in', keys).execute()
    assert.deepEqual(rows, service().engine === 'postgres' ? [{ key: budget.key }] : [])
    assert.deepEqual(await usageOf(counters, budget), [1, 0])
  })
})

test('Local counters whose window has ended leave the memory, and others stay', async () => {
  let now = Date.now()
  const counters = createLocalCounters(() => now)
  const chargeMany = async (prefix: string, windowMilliseconds: number) => {
    const keys = Array.from({ length: 2_000 }, (_nothing, index) => `${prefix} ${index}`)
    for (const key of keys)
      await counters.charge([{ budget: { key, limit: 3, windowMilliseconds }, used: 1, reserved: 0 }])
    return keys
  }
  const clearAll = async (keys: string[]) => {
    const cleared = await Promise.all(keys.map((key) => counters.clear({} as Kysely<Tables>, key)))
    return cleared.filter(Boolean).length
  }
  const ended = await chargeMany('ended', 5 * MINUTE)
  const longer = await chargeMany('longer', 15 * MINUTE)
  now += 6 * MINUTE
  const later = await Promise.all(['one', 'two', 'three'].map((prefix) => chargeMany(prefix, 5 * MINUTE)))
  assert.deepEqual([await clearAll(ended), await clearAll(longer)], [0, 2_000])
  assert.equal(await clearAll(later.flat()), 6_000)
})

test('Local counters are at most 200,000, and new ones replace the oldest 1,000', async () => {
  const counters = createLocalCounters(Date.now)
  // The list has every counter, because one use is half of two.
  const chargeOf = (index: number): Charge => ({
    budget: { key: `network ${index}`, limit: 2, windowMilliseconds: 5 * MINUTE },
    used: 1,
    reserved: 0,
  })
  let count = 0
  for (const total of [200_001, 300_000]) {
    await counters.charge(Array.from({ length: total - count }, (_, index) => chargeOf(count + index)))
    count = total
    const found = await counters.listHalfUsed(total)
    const oldest = total - found.length
    assert.ok(found.length <= 200_000 && found.length >= 199_000, String(found.length))
    assert.ok(found.every(({ key, used }, index) => key === `network ${oldest + index}` && used === 1))
  }
})

test('After a flood of 200,000 local counters, later ones replace those whose window has ended, and not the oldest live one', async () => {
  let now = Date.now()
  const counters = createLocalCounters(() => now)
  const chargeMany = (prefix: string, count: number) =>
    counters.charge(
      Array.from({ length: count }, (_, index) => {
        const budget = { key: `${prefix} ${index}`, limit: 3, windowMilliseconds: 5 * MINUTE }
        return { budget, used: 1, reserved: 0 }
      }),
    )
  await chargeMany('flood', 200_000)
  now += 10 * MINUTE
  const ofDay = { key: 'invitation', limit: 3, windowMilliseconds: 24 * 60 * MINUTE }
  await counters.charge([{ budget: ofDay, used: 1, reserved: 0 }])
  for (const hour of ['first', 'second', 'third']) {
    now += 60 * MINUTE
    await chargeMany(hour, 70_000)
  }
  assert.equal((await counters.find(ofDay))?.used, 1)
})

test('A flood of 200,000 local counters of other requests deletes no counter of wrong passwords', async () => {
  const counters = createLocalCounters(Date.now)
  const { limits } = readConfig({ SECRET })
  const account = accountBudget(limits, 'victim')
  const guessed = [account, ...passwordNetworkBudgets(limits, { network: '192.0.2.1' })]
  const use = (budget: Budget): Charge => ({ budget, used: 1, reserved: 0 })
  await counters.charge(guessed.map(use))
  const flood = Array.from({ length: 200_000 }, (_, index) => changeBudgets(limits, { network: `2001:db8:${index}` }))
  await counters.charge(flood.flat().map(use))
  for (const budget of guessed) assert.equal((await counters.find(budget))?.used, 1, budget.key)
})

describe('Shared counters', () => {
  let service: Service
  before(async () => {
    service = await startService({ engine: 'postgres' })
  })
  after(() => service?.stop())

  test('The reservations of a killed process expire after 30 seconds', async () => {
    let now = Date.now()
    const counters = createSharedCounters(service.context.database, () => now, service.config.limits)
    const budget = { key: 'killed', limit: 3, windowMilliseconds: 5 * MINUTE }
    await counters.charge([{ budget, used: 1, reserved: 1 }])
    now += MINUTE / 2
    const [usage] = await counters.charge([{ budget, used: 0, reserved: 1 }])
    assert.deepEqual([usage?.used, usage?.reserved], [1, 1])
  })

  test('Guesses that find no room do not keep the reservations of a killed process from expiring', async () => {
    let now = Date.now()
    const counters = createSharedCounters(service.context.database, () => now, service.config.limits)
    const budget = { key: 'occupied', limit: 3, windowMilliseconds: 5 * MINUTE }
    const reserve = async () => (await counters.charge([{ budget, used: 0, reserved: 1 }]))[0]?.reserved
    for (const count of [1, 2, 3]) assert.equal(await reserve(), count)
    now += MINUTE / 3
    assert.equal(await reserve(), 4)
    await counters.charge([{ budget, used: 0, reserved: -1 }])
    now += MINUTE / 6
    assert.equal(await reserve(), 1)
  })
})
