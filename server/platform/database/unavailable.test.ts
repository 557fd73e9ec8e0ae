import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createMutex } from './mutex.ts'
import { DatabaseUnavailable, isUnavailable } from './unavailable.ts'

const failure = (properties: object, message = '') => Object.assign(new Error(message), properties)

describe('A database that could not be asked', () => {
  test('is told by its engine, by the network, or by a lock that nobody gave back', () => {
    const told = [
      new DatabaseUnavailable('late'),
      failure({ errcode: 5 }),
      failure({ errcode: 5 | (1 << 8) }),
      ...['08006', '53300', '57P01', '55P03', '40001', '40P01', '25006', '25P03', '58030'].map((code) =>
        failure({ code }),
      ),
      failure({ code: 'ECONNREFUSED' }),
      failure({ code: 'EAI_AGAIN' }),
      new AggregateError([failure({ code: 'ECONNREFUSED' })]),
      failure({}, 'Connection terminated unexpectedly'),
    ]
    for (const error of told) assert.equal(isUnavailable(error), true, String(error))
  })

  test('is not what a wrong statement, a broken rule or a mistake of ours looks like', () => {
    const others = [
      failure({ errcode: 1 }),
      failure({ errcode: 2067 }),
      failure({ code: '23505' }),
      failure({ code: '42P01' }),
      new TypeError('x'),
      'text',
      null,
    ]
    for (const error of others) assert.equal(isUnavailable(error), false, String(error))
  })
})

describe('A lock', () => {
  test('is given in the order of asking', async () => {
    const mutex = createMutex()
    const order: number[] = []
    await Promise.all(
      [1, 2, 3].map(async (number) => {
        const release = await mutex.lock(60_000)
        order.push(number)
        release()
      }),
    )
    assert.deepEqual(order, [1, 2, 3])
  })

  test('that is not given back in time is said to be held, and goes on to the next once it is', async () => {
    const mutex = createMutex()
    const release = await mutex.lock(60_000)
    await assert.rejects(mutex.lock(10), DatabaseUnavailable)
    release()
    const releaseNext = await mutex.lock(60_000)
    releaseNext()
  })
})
