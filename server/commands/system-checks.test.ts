import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { onEachDatabase } from '../../test/support/service.ts'
import { newTimeBudget, spendTime, withTimeBudget } from '../platform/database/time-budget.ts'
import { createSystemChecks } from './system-checks.ts'

onEachDatabase('createSystemChecks', (service) => {
  test('The checks do not spend the time that their request has for the database', async () => {
    const testWrite = () => spendTime(20, (milliseconds) => wait(milliseconds))
    const runChecks = createSystemChecks(service().context, testWrite)
    const budget = newTimeBudget()
    const checks = await withTimeBudget(budget, runChecks)
    assert.ok(checks.some(({ name, status }) => name === 'test write' && status === 'ok'))
    assert.equal(budget.leftMilliseconds, newTimeBudget().leftMilliseconds)
  })
})
