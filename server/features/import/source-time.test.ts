import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUnreadableTime, readTime } from './source-time.ts'

test('readTime reads the times of every adapter', () => {
  const milliseconds = Date.UTC(2026, 10, 22, 9, 5, 1)
  for (const text of [
    '2026-11-22T09:05:01.000Z',
    '2026-11-22T09:05:01+00:00',
    '2026-11-22T11:05:01+02:00',
    '2026-11-22T11:05:01+0200',
    '2026-11-22 09:05:01+00',
    '2026-11-22 03:35:01.000000-05:30',
    '2026-11-22T09:05:01',
    '2026-11-22 09:05:01',
  ])
    assert.equal(readTime(text), milliseconds, text)
  assert.equal(readTime(milliseconds), milliseconds)
  assert.equal(readTime(milliseconds / 1000), milliseconds)
  assert.equal(readTime('2026-11-22'), Date.UTC(2026, 10, 22))
  for (const value of [null, undefined])
    assert.deepEqual([readTime(value), isUnreadableTime(value)], [undefined, false])
})

test('readTime reads milliseconds before 1970 as milliseconds', () => {
  assert.equal(readTime(-62_135_596_800_000), Date.parse('0001-01-01T00:00:00Z'))
  assert.equal(readTime(-62_135_596_800), Date.parse('0001-01-01T00:00:00Z'))
})

test('readTime reads no time beyond years of four digits, and no other text', () => {
  const microseconds = Date.UTC(2020, 1, 1) * 1_000
  for (const value of [
    microseconds,
    microseconds * 1_000,
    8.64e15,
    -8.64e15,
    Number.NaN,
    '',
    'never',
    'infinity',
    '2026-13-01',
    '2026-02-30',
    '2026-02-29 12:00:00+00',
    '0001-01-01T00:00:00 BC',
    'Sat Oct 24 2026 10:00:00 GMT+0000 (Coordinated Universal Time)',
  ])
    assert.deepEqual([readTime(value), isUnreadableTime(value)], [undefined, true], String(value))
})
