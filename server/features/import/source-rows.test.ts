import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFlag } from './source-rows.ts'

test('readFlag reads the flags of every adapter', () => {
  for (const value of [true, 1, '1', 'true']) assert.equal(readFlag(value), true, String(value))
  for (const value of [false, 0, '0', 'false', '', null, undefined]) assert.equal(readFlag(value), false, String(value))
})
