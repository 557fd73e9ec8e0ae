import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFlag, type SourceFlag } from './source-rows.ts'

test('readFlag reads the flags of every adapter', () => {
  for (const value of [true, 1, '1', '1.0', 'true', 'TRUE', 't']) assert.equal(readFlag(value), true, String(value))
  for (const value of [false, 0, '0', '0.0', 'false', 'f', '', null, undefined])
    assert.equal(readFlag(value), false, String(value))
})

test('readFlag takes no other value for true or false', () => {
  const json = {} as unknown as SourceFlag
  for (const value of [2, -1, 0.5, 'yes', 'on', 'no', '10', json])
    assert.equal(readFlag(value), undefined, String(value))
})
