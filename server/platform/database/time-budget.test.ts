import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { newTimeBudget, shorterTimeBudget, spendOtherTime, spendTime, withTimeBudget } from './time-budget.ts'
import { isUnavailable } from './unavailable.ts'

test('spendOtherTime subtracts the time of other work, and leaves a second to store its result', async () => {
  const budget = newTimeBudget(1_200)
  const spend = () => withTimeBudget(budget, () => spendOtherTime(() => pause(150)))
  await spend()
  assert.ok(budget.leftMilliseconds <= 1_100, String(budget.leftMilliseconds))
  await spend()
  assert.equal(budget.leftMilliseconds, 1_000)
})

test('spendOtherTime adds no time to a request that has less than a second left', async () => {
  const budget = newTimeBudget(300)
  await withTimeBudget(budget, () => spendOtherTime(() => pause(1)))
  assert.equal(budget.leftMilliseconds, 300)
})

test('A statement gets at most the remaining time of its request, and does not run without any', async () => {
  const limitOf = (leftMilliseconds: number) =>
    withTimeBudget(newTimeBudget(leftMilliseconds), () => spendTime(1_000, async (milliseconds) => milliseconds))
  assert.deepEqual([await limitOf(300), await limitOf(1_700)], [300, 1_000])
  await assert.rejects(limitOf(0.9), isUnavailable)
})

test('shorterTimeBudget is never longer than the budget of the request', () => {
  const left = withTimeBudget(newTimeBudget(100), () => shorterTimeBudget(250).leftMilliseconds)
  assert.equal(left, 100)
  assert.equal(shorterTimeBudget(250).leftMilliseconds, 250)
})

test('The time of concurrent statements is subtracted once, and the time between statements is not', async () => {
  const budget = newTimeBudget(1_000)
  let waitedMilliseconds = 0
  for (const pauses of [[20, 30, 25], [10]]) {
    const startedAt = performance.now()
    const waits = pauses.map((milliseconds) => () => spendTime(1_000, () => pause(milliseconds)))
    await withTimeBudget(budget, () => Promise.all(waits.map((wait) => wait())))
    waitedMilliseconds += performance.now() - startedAt
    await pause(50)
  }
  assert.ok(
    budget.leftMilliseconds >= 1_000 - waitedMilliseconds,
    `${budget.leftMilliseconds} of ${waitedMilliseconds}`,
  )
  assert.ok(budget.leftMilliseconds <= 962, 'the longest of the concurrent ones and the last one')
})

test('The whole time of a statement is subtracted, also when a shorter one runs within it', async () => {
  const budget = newTimeBudget(1_000)
  const wait = (milliseconds: number) => spendTime(1_000, () => pause(milliseconds))
  await withTimeBudget(budget, () => Promise.all([wait(60), pause(40).then(() => wait(10))]))
  assert.ok(budget.leftMilliseconds <= 942, String(budget.leftMilliseconds))
})
