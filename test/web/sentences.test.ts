import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../server/platform/time/time-units.ts'
import { RequestFailed } from '../../web/shared/api/request-failed.ts'
import { duration } from '../../web/shared/format/duration.ts'
import { failureSentence } from '../../web/shared/format/failure-sentence.ts'
import { isolated } from '../../web/shared/format/isolated.ts'
import { listed } from '../../web/shared/format/list.ts'
import { timeUntil } from '../../web/shared/format/time-until.ts'
import { workingKeys } from '../../web/shared/format/working-keys.ts'

const OF_PAGE = { INVALID_EMAIL: 'Another one.', FORBIDDEN: ({ message }: RequestFailed) => `No: ${message}` }

test('duration never names a shorter time than the one to wait', () => {
  for (const [seconds, text] of [
    [1, '1 second'],
    [58.2, '59 seconds'],
    [60, '1 minute'],
    [61, '2 minutes'],
    [3_540, '59 minutes'],
    [3_541, '1 hour'],
    [7_200, '2 hours'],
    [7_201, '3 hours'],
  ] as const)
    assert.equal(duration(seconds), text)
})

test('timeUntil names minutes below two hours, hours below two days, and then days', (t) => {
  const now = Date.UTC(2026, 0, 31)
  t.mock.timers.enable({ apis: ['Date'], now })
  for (const [milliseconds, text] of [
    [MINUTE_MILLISECONDS - 1, 'in less than a minute'],
    [0, 'just now'],
    [1 - MINUTE_MILLISECONDS, 'just now'],
    [MINUTE_MILLISECONDS, 'in 1 minute'],
    [2 * HOUR_MILLISECONDS - 1, 'in 119 minutes'],
    [2 * HOUR_MILLISECONDS, 'in 2 hours'],
    [2 * DAY_MILLISECONDS - 1, 'in 47 hours'],
    [-2 * DAY_MILLISECONDS, '2 days ago'],
  ] as const)
    assert.equal(timeUntil(new Date(now + milliseconds)), text)
})

test('isolated isolates a name with letters from right to left, and leaves other names as they are', () => {
  for (const name of ['Hilda Hire', 'Ünal Größe', 'Мария', '山田', '']) assert.equal(isolated(name), name)
  for (const name of ['דוד לוי', 'دعم', 'Team דוד', '𞤀𞤁']) assert.equal(isolated(name), `\u2068${name}\u2069`)
})

test('A list of names keeps its order although their letters run from right to left', () => {
  const names = ['דוד', 'מיר']
  const [first, second] = names.map((name) => `\u2068${name}\u2069`)
  const keys = names.map((name) => ({ name }))
  assert.equal(workingKeys('they', keys), ` API keys that they created still work: ${first}, ${second}.`)
  assert.equal(listed(names), `${first} and ${second}`)
})

test('failureSentence says when to try again after 429 and 503, whatever the code is', () => {
  const failed = (status: number, retryAfterSeconds?: number) =>
    failureSentence(new RequestFailed({ status, code: 'INVALID_EMAIL', message: 'x', retryAfterSeconds }))
  assert.equal(failed(429, 90), 'That was one try too many. Try again in 2 minutes.')
  assert.equal(failed(429), 'That was one try too many. Try again in a moment.')
  assert.equal(failed(503, 2), 'The service is very busy just now. Try again in 2 seconds.')
})

test('failureSentence prefers the sentence of the page, then the one of the code, then the message of the service', () => {
  const failure = (code: string, message = 'The name is taken.', status = 400) =>
    new RequestFailed({ status, code, message })
  assert.equal(failureSentence(failure('INVALID_EMAIL'), OF_PAGE), 'Another one.')
  assert.equal(failureSentence(failure('FORBIDDEN'), OF_PAGE), 'No: The name is taken.')
  assert.match(failureSentence(failure('INVALID_EMAIL')), /^That isn’t a complete email address/)
  assert.equal(failureSentence(failure('SLUG_TAKEN')), 'The name is taken.')
  assert.equal(failureSentence(failure('constructor')), 'The name is taken.')
  assert.match(failureSentence(failure('INTERNAL_SERVER_ERROR', 'x', 500)), /^Something went wrong on our side/)
  assert.match(failureSentence(failure('UNKNOWN', '')), /^That didn’t work/)
})
