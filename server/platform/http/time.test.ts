import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from './errors.ts'
import { parseTime } from './time.ts'

test('parseTime reads ISO 8601, epoch milliseconds, and four digits as a year', () => {
  const times: [string, number][] = [
    ['2026', Date.UTC(2026, 0, 1)],
    ['0000', Date.parse('0000-01-01')],
    ['2026-01-31', Date.UTC(2026, 0, 31)],
    ['2026-01-31T12:00:00+01:00', Date.UTC(2026, 0, 31, 11)],
    ['999', 999],
    ['20260', 20_260],
    ['-2026', -2026],
    ['1767225600000', 1_767_225_600_000],
  ]
  for (const [text, milliseconds] of times) assert.equal(parseTime(text, 'from'), milliseconds, text)
  for (const text of [
    '',
    '2026-01',
    '2026-13-01',
    '2026-02-30',
    '2026-02-29T12:00:00+01:00',
    '+2026',
    'yesterday',
    '8640000000000001',
  ])
    assert.throws(() => parseTime(text, 'from'), ApiError, text)
})
