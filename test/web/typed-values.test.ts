import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textWithPasted } from '../../web/organizations/text-with-pasted.ts'
import { lettersAndDigits } from '../../web/shared/forms/letters-and-digits.ts'

test('A pasted list replaces the selected part of a field, and splits no value at the caret', () => {
  const paste = (selectionStart: number, selectionEnd: number) =>
    textWithPasted({ value: 'ada@example.com', selectionStart, selectionEnd }, 'x@y, z@y').trim()
  assert.equal(paste(0, 15), 'x@y, z@y')
  assert.equal(paste(3, 15), 'ada x@y, z@y')
  assert.equal(paste(0, 3), 'x@y, z@y @example.com')
  assert.equal(paste(3, 3), 'ada@example.com x@y, z@y')
})

test('A code is read without separators, with full-width characters as ordinary ones', () => {
  for (const typed of ['240316', '240-316', ' 240 316\n', '240\u200b316.', '２４０３１６'])
    assert.equal(lettersAndDigits(typed), '240316', typed)
  assert.equal(lettersAndDigits('k3f9-2mwq'), 'k3f92mwq')
})
