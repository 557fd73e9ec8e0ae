import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { KEY_PREFIX } from './key-text.ts'
import { hashToken, ID_KINDS, newId, newToken } from './tokens.ts'

describe('Ids', () => {
  test('carry their kind and sort by the time they were made', () => {
    let now = 1_700_000_000_000
    const ids = Array.from({ length: 200 }, () => newId('usr', { now: () => now++, randomBytes }))
    assert.match(ids[0] ?? '', /^usr_[0-9a-v]{26}$/)
    assert.deepEqual(ids.toSorted(), ids)
  })

  test('have a prefix that no API key has', () => {
    assert.ok(!Object.keys(ID_KINDS).includes(KEY_PREFIX.slice(0, -1)))
  })

  test('differ when they are made at the same moment', () => {
    const ids = new Set(Array.from({ length: 1000 }, () => newId('org', { now: () => 0, randomBytes })))
    assert.equal(ids.size, 1000)
  })

  test('hold the time and the random bits in full', () => {
    const id = newId('ses', { now: () => 2 ** 48 - 1, randomBytes: (count) => Buffer.alloc(count, 255) })
    // 128 bits are 25 characters of five bits and one of three.
    assert.equal(id, `ses_${'v'.repeat(25)}s`)
  })
})

describe('Tokens', () => {
  test('have 256 random bits', () => {
    const token = newToken({ randomBytes: (count) => Buffer.alloc(count, 7) })
    assert.equal(Buffer.from(token, 'base64url').length, 32)
  })

  test('are stored as their SHA-256', () => {
    assert.equal(hashToken('abc'), 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0')
  })
})
