import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textWithPasted } from '../../web/organizations/text-with-pasted.ts'

test('A pasted list replaces the selected part of a field, and splits no value at the caret', () => {
  const paste = (selectionStart: number, selectionEnd: number) =>
    textWithPasted({ value: 'ada@example.com', selectionStart, selectionEnd }, 'x@y, z@y').trim()
  assert.equal(paste(0, 15), 'x@y, z@y')
  assert.equal(paste(3, 15), 'ada x@y, z@y')
  assert.equal(paste(0, 3), 'x@y, z@y @example.com')
  assert.equal(paste(3, 3), 'ada@example.com x@y, z@y')
})
