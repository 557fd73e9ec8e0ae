import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completions, findCondition, readFilters, splitSearch } from '../../web/staff/users/filters.ts'

const NOW = new Date(2026, 0, 31, 12)

test('A filter of users by their day of creation begins at midnight of the browser, and includes the day after > only', () => {
  const midnight = new Date(2026, 0, 24).toISOString()
  assert.equal(findCondition('created:>2026-01-24'), `createdAt:gte:${midnight}`)
  assert.equal(findCondition('created:<2026-01-24'), `createdAt:lt:${midnight}`)
  for (const unknown of ['created:>2026-13-01', 'created:2026-01-24', 'is:admin', 'constructor', ''])
    assert.equal(findCondition(unknown), undefined, unknown)
})

test('The address of the list of users has at most four filters, each once, and unknown ones do not count', () => {
  const filters = ['is:banned', 'is:verified', 'role:admin', 'no:two-step', 'role:user']
  assert.deepEqual(readFilters(['is:bannned', 'is:banned', ...filters]), filters.slice(0, 4))
})

test('The search of users suggests the filters that complete the last word and are not set', () => {
  assert.deepEqual(completions('ada is:', ['is:banned'], NOW), ['is:verified', 'is:unverified'])
  assert.deepEqual(completions('no:', [], NOW), ['no:two-step', 'no:passkey'])
  assert.deepEqual(completions('created', [], NOW), ['created:>2026-01-24', 'created:<2026-01-24'])
  assert.equal(completions('', ['is:banned'], NOW).length, 11)
  assert.deepEqual(completions('', ['is:banned', 'is:verified', 'role:admin', 'no:two-step'], NOW), [])
})

test('The search of users takes the words that are filters out of the text', () => {
  assert.deepEqual(splitSearch('ada is:banned lovelace', []), { filters: ['is:banned'], text: 'ada lovelace' })
  const set = ['is:banned', 'role:user']
  assert.deepEqual(splitSearch('role:user no:passkey', set), { filters: [...set, 'no:passkey'], text: '' })
})

test('The search of users leaves a filter in the text that has no room beside four others', () => {
  const set = ['is:banned', 'is:verified', 'role:admin']
  assert.deepEqual(splitSearch('no:two-step no:passkey x', set), {
    filters: [...set, 'no:two-step'],
    text: 'no:passkey x',
  })
})
