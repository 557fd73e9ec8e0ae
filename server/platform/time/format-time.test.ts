import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDate, formatTime } from './format-time.ts'

test('A time of an email is in UTC, in the words of British English', () => {
  const formats = {
    date: new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }),
    time: new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }),
  }
  const lastMinutes = Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month + 1, 1) - 1)
  const times = [0, Date.UTC(2026, 10, 5, 9, 30), Date.UTC(2028, 1, 29), ...lastMinutes]
  for (const time of times) {
    assert.equal(formatDate(time), formats.date.format(time))
    assert.equal(formatTime(time), `${formats.time.format(time)} UTC`)
  }
  assert.equal(formatTime(Date.UTC(2026, 10, 5, 9, 30)), '5 November 2026 at 09:30 UTC')
})
