import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPasswordHasher } from '../../server/platform/crypto/passwords.ts'
import { createOtherHash, rememberPasswords } from './remembered-passwords.ts'

test('rememberPasswords hashes a password once, and another password has another hash', async (t) => {
  const hasher = createPasswordHasher(1)
  t.after(() => hasher.close())
  const { mock } = t.mock.method(hasher, 'hash')
  const { hash } = rememberPasswords(hasher)
  const passwordHash = await hash('remembered')
  assert.equal(await hash('remembered'), passwordHash)
  assert.notEqual(await hash('Remembered'), passwordHash)
  assert.equal(mock.callCount(), 2)
})

test('rememberPasswords verifies a hash and a password once, and no other password matches the hash', async (t) => {
  const hasher = createPasswordHasher(1)
  t.after(() => hasher.close())
  const { mock } = t.mock.method(hasher, 'verify')
  const { hash, verify } = rememberPasswords(hasher)
  const passwordHash = await hash('secret')
  for (let count = 0; count < 2; count += 1) {
    assert.equal(await verify(passwordHash, 'secret'), true)
    assert.equal(await verify(passwordHash, 'Secret'), false)
    assert.equal(await verify(undefined, 'secret'), false)
  }
  assert.equal(mock.callCount(), 2, 'for the wrong password, and without a hash')
})

test('rememberPasswords remembers no failed verification', async (t) => {
  const hasher = createPasswordHasher(1)
  t.after(() => hasher.close())
  const { verify } = rememberPasswords(hasher)
  for (let count = 0; count < 2; count += 1) await assert.rejects(verify('not a hash', 'secret'))
})

test('createOtherHash returns a hash that services do not store, and that matches the password', async (t) => {
  const hasher = createPasswordHasher(1)
  t.after(() => hasher.close())
  const { hash, verify } = rememberPasswords(hasher)
  const other = await createOtherHash('secret')
  assert.notEqual(other, await hash('secret'))
  assert.equal(await verify(other, 'secret'), true)
})
