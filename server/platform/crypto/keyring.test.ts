import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { createKeyring, UnknownSecretError } from './keyring.ts'

const SECRET = 'the secret of the service, long enough'
const keyring = createKeyring(SECRET, randomBytes)

describe('Sealed text', () => {
  test('opens to what was encrypted, and never looks the same twice', () => {
    const text = 'a link that opens something: ümlaut ✓'
    const encrypted = keyring.encrypt('letter', text)
    assert.notEqual(keyring.encrypt('letter', text), encrypted)
    assert.equal(keyring.decrypt('letter', encrypted), text)
  })

  test('does not open for another purpose or under another secret', () => {
    const encrypted = keyring.encrypt('letter', 'text')
    assert.throws(() => keyring.decrypt('signing key', encrypted))
    const other = createKeyring('another secret, which is long enough, too', randomBytes)
    assert.throws(() => other.decrypt('letter', encrypted), UnknownSecretError)
  })

  test('does not open when any of its characters was changed or cut off', () => {
    const encrypted = keyring.encrypt('letter', 'some text')
    for (let index = 0; index < encrypted.length; index += 1) {
      const tampered = Buffer.from(encrypted)
      tampered[index] = encrypted[index] === 'A' ? 66 : 65
      const text = tampered.toString()
      // The last character of each part may carry bits that decode to nothing.
      if (sameBytes(text, encrypted)) continue
      assert.throws(() => keyring.decrypt('letter', text), `character ${index}`)
    }
    assert.throws(() => keyring.decrypt('letter', encrypted.slice(0, -4)))
    assert.throws(() => keyring.decrypt('letter', ''))
  })

  test('of PREVIOUS_SECRET opens and its keyed hashes verify, with and without the id of older versions', () => {
    const rotated = createKeyring('another secret, which is long enough, too', randomBytes, SECRET)
    const encrypted = keyring.encrypt('letter', 'text')
    assert.equal(rotated.decrypt('letter', encrypted), 'text')
    assert.equal(rotated.decrypt('letter', encrypted.slice(encrypted.indexOf('.') + 1)), 'text')
    assert.ok(rotated.verifyMac('audit entry', 'text', keyring.mac('audit entry', 'text')))
    assert.ok(!rotated.verifyMac('audit head', 'text', keyring.mac('audit entry', 'text')))
    assert.ok(!rotated.verifyMac('audit entry', 'text', ''))
    assert.throws(() => keyring.decrypt('letter', rotated.encrypt('letter', 'text')), UnknownSecretError)
    assert.ok(!keyring.verifyMac('audit entry', 'text', rotated.mac('audit entry', 'text')))
  })

  test('does not exist without a SECRET: nothing is encrypted, opened or vouched for under an empty or short one', () => {
    for (const secret of ['', 'x'.repeat(31)]) {
      const none = createKeyring(secret, randomBytes)
      assert.throws(() => none.encrypt('signing key', 'text'), /no SECRET/)
      assert.throws(() => none.mac('audit entry', 'text'), /no SECRET/)
      assert.throws(() => none.decrypt('letter', keyring.encrypt('letter', 'text')), /no SECRET/)
    }
  })

  test('does not open with a shortened authentication tag', () => {
    const [id, iv, tag = '', ciphertext] = keyring.encrypt('letter', 'some text').split('.')
    const short = Buffer.from(tag, 'base64url').subarray(0, 4).toString('base64url')
    assert.throws(() => keyring.decrypt('letter', [id, iv, short, ciphertext].join('.')))
  })
})

function sameBytes(one: string, other: string): boolean {
  const decode = (text: string) =>
    text
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('hex'))
      .join('.')
  return decode(one) === decode(other)
}
