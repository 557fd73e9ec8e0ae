import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { DatabaseUnavailable } from '../../platform/database/unavailable.ts'
import { type Budget, createLocalCounters } from './counters.ts'
import { createSpending } from './spending.ts'

const BUDGET: Budget = { key: 'guesses', limit: 3, windowMilliseconds: 60_000 }
const PAUSE_MILLISECONDS = 500

test('A release that fails while the database is unavailable is repeated until it succeeds', async (t) => {
  const { reservation, attempts, pass } = await failRelease(t, [unavailable(), unavailable()])
  assert.deepEqual([attempts(), await reservation()], [1, 1])
  await pass()
  assert.deepEqual([attempts(), await reservation()], [2, 1])
  await pass()
  assert.deepEqual([attempts(), await reservation()], [3, 0])
  await pass()
  assert.equal(attempts(), 3)
})

test('A late release that fails with an unexpected error is not repeated, and does not end the process', async (t) => {
  const { attempts, pass } = await failRelease(t, [unavailable(), new Error('the counter is broken')])
  await pass()
  assert.equal(attempts(), 2)
  await pass()
  assert.equal(attempts(), 2)
})

test('A release that fails with an unexpected error is not repeated', async (t) => {
  const { attempts, pass } = await failRelease(t, [new Error('the counter is broken')])
  await pass()
  assert.equal(attempts(), 1)
})

/** Reserves, and releases while the counters throw the errors, one at each attempt. The release rejects with the first. */
async function failRelease(t: TestContext, errors: Error[]) {
  mockPauses(t)
  const counters = createLocalCounters(Date.now)
  const { charge } = counters
  const spending = createSpending(counters, Date.now)
  await spending.reserve([BUDGET])
  const failing = t.mock.method(counters, 'charge', (charges: Parameters<typeof charge>[0]) => {
    const error = errors[failing.mock.callCount()]
    return error ? Promise.reject(error) : charge(charges)
  })
  await assert.rejects(spending.release([BUDGET]), errors[0])
  return {
    attempts: () => failing.mock.callCount(),
    reservation: async () => (await charge([{ budget: BUDGET, used: 0, reserved: 0 }]))[0]?.reserved,
    /** Ends the pause before the next attempt, if there is one. */
    async pass() {
      t.mock.timers.tick(PAUSE_MILLISECONDS)
      await turn()
    },
  }
}

function mockPauses(t: TestContext): void {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  // Modules that imported the function before call the new one, too.
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.timers.reset()
    syncBuiltinESMExports()
  })
}

function unavailable(): Error {
  return new DatabaseUnavailable('The database does not answer')
}
