import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { hashKeyText, keyStart, newKeyText } from './key-text.ts'
import { hashToken, newId } from './tokens.ts'

const runtime = { now: Date.now, randomBytes }

test('A key begins with keyStart, and its checksum detects every single wrong character', () => {
  const id = newId('apk', runtime)
  const key = newKeyText(id, runtime)
  assert.ok(key.startsWith(`${keyStart(id)}_`))
  assert.equal(hashKeyText(key), hashToken(key))
  for (let index = 0; index < key.length; index += 1) {
    const wrong = `${key.slice(0, index)}${key[index] === '0' ? '1' : '0'}${key.slice(index + 1)}`
    assert.equal(hashKeyText(wrong), undefined, `at ${index}`)
  }
})

test('An API key from Better Auth has a hash, and text of another form has none', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEF'
  for (const key of [letters, `sk_live-${letters}`, letters.repeat(8)]) assert.equal(hashKeyText(key), hashToken(key))
  for (const text of [letters.slice(1), `${letters} `, `acc_${letters}`, letters.repeat(9)])
    assert.equal(hashKeyText(text), undefined, text)
})

test('newKeyText returns 256 random bits', () => {
  const id = newId('apk', runtime)
  const keys = new Set(Array.from({ length: 1000 }, () => newKeyText(id, runtime)))
  assert.equal(keys.size, 1000)
})
