import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPasswordHasher } from '../../server/platform/crypto/passwords.ts'
import { rememberPasswords } from './remembered-passwords.ts'

test('rememberPasswords verifies a hash and a password once, and no other password matches the hash', async (t) => {
  const hasher = createPasswordHasher(1)
  t.after(() => hasher.close())
  const { mock } = t.mock.method(hasher, 'verify')
  const { hash, verify } = rememberPasswords(hasher)
  const passwordHash = await hash('secret')
  assert.notEqual(await hash('secret'), passwordHash, 'each hash has its own salt')
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
