import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'
import { DatabaseUnavailable } from './unavailable.ts'

const LOST = new DatabaseUnavailable('the connection was lost')

test('retryWhileUnavailable repeats the work after each wait, and throws the error of the last try', async () => {
  assert.deepEqual(await failuresOf([LOST, LOST]), [LOST, LOST])
  await assert.rejects(failuresOf([LOST, LOST, LOST]), LOST)
})

test('retryWhileUnavailable does not repeat work that fails for another reason', async () => {
  const bug = new TypeError('x')
  await assert.rejects(failuresOf([LOST, bug]), bug)
})

/** Makes three tries at most. @returns the errors with which the first tries failed */
async function failuresOf(errors: Error[]): Promise<unknown[]> {
  const failures: unknown[] = []
  const left = [...errors]
  const work = async () => {
    const error = left.shift()
    if (error) throw error
  }
  await retryWhileUnavailable([1, 1], work, (error) => failures.push(error))
  return failures
}
