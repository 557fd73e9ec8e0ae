import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { KEY_PREFIX } from './key-text.ts'
import { hashToken, ID_KINDS, newId, newToken } from './tokens.ts'

describe('newId', () => {
  test('Ids have a prefix for their kind and sort by time', () => {
    let now = 1_700_000_000_000
    const ids = Array.from({ length: 200 }, () => newId('usr', { now: () => now++, randomBytes }))
    assert.match(ids[0] ?? '', /^usr_[0-9a-v]{26}$/)
    assert.deepEqual(ids.toSorted(), ids)
  })

  test('No kind of id has the prefix of API keys', () => {
    assert.ok(!Object.keys(ID_KINDS).includes(KEY_PREFIX.slice(0, -1)))
  })

  test('Ids of the same millisecond differ', () => {
    const ids = new Set(Array.from({ length: 1000 }, () => newId('org', { now: () => 0, randomBytes })))
    assert.equal(ids.size, 1000)
  })

  test('Ids contain the time and 80 random bits', () => {
    const id = newId('ses', { now: () => 2 ** 48 - 1, randomBytes: (count) => Buffer.alloc(count, 255) })
    // 128 bits are 25 characters of five bits and one of three.
    assert.equal(id, `ses_${'v'.repeat(25)}s`)
  })
})

describe('newToken', () => {
  test('newToken returns 256 random bits', () => {
    const token = newToken({ randomBytes: (count) => Buffer.alloc(count, 7) })
    assert.equal(Buffer.from(token, 'base64url').length, 32)
  })

  test('hashToken returns the SHA-256', () => {
    assert.equal(hashToken('abc'), 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0')
  })
})
