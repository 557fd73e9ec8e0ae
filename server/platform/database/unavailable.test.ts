import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DatabaseUnavailable, isUnavailable } from './unavailable.ts'

const failure = (properties: object, message = '') => Object.assign(new Error(message), properties)

describe('isUnavailable', () => {
  test('isUnavailable is true for errors of the engine, of the network and for lock timeouts', () => {
    const told = [
      new DatabaseUnavailable('late'),
      failure({ errcode: 5 }),
      failure({ errcode: 5 | (1 << 8) }),
      ...['08006', '53300', '57P01', '55P03', '40001', '40P01', '25006', '25P03', '25P04', '58030'].map((code) =>
        failure({ code }),
      ),
      failure({ code: 'ECONNREFUSED' }),
      failure({ code: 'EAI_AGAIN' }),
      new AggregateError([failure({ code: 'ECONNREFUSED' })]),
      failure({}, 'Connection terminated unexpectedly'),
      failure({}, 'timeout expired'),
    ]
    for (const error of told) assert.equal(isUnavailable(error), true, String(error))
  })

  test('isUnavailable is false for a wrong statement, a violated constraint or a bug', () => {
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
