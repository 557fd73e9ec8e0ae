import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { createKeyring, isRepetitive, UnknownSecretError } from './keyring.ts'

const SECRET = 'the secret of the service, long enough'
const keyring = createKeyring(SECRET, randomBytes)

describe('keyring', () => {
  test('decrypt returns the text, and encrypt returns a different ciphertext each time', () => {
    const text = 'a link that opens something: ümlaut ✓'
    const encrypted = keyring.encrypt('letter', text)
    assert.notEqual(keyring.encrypt('letter', text), encrypted)
    assert.equal(keyring.decrypt('letter', encrypted), text)
  })

  test('A secret of fewer than eight different characters is repetitive, white space around it not counted', () => {
    assert.equal(isRepetitive('12345678'.repeat(4)), false)
    assert.equal(isRepetitive(` ${'1234567'.repeat(5)}\n`), true)
  })

  test('decrypt throws for another purpose or another secret', () => {
    const encrypted = keyring.encrypt('letter', 'text')
    assert.throws(() => keyring.decrypt('signing key', encrypted))
    const other = createKeyring('another secret, which is long enough, too', randomBytes)
    assert.throws(() => other.decrypt('letter', encrypted), UnknownSecretError)
  })

  test('decrypt throws for every changed or missing character', () => {
    const encrypted = keyring.encrypt('letter', 'some text')
    for (let index = 0; index < encrypted.length; index += 1) {
      const tampered = Buffer.from(encrypted)
      tampered[index] = encrypted[index] === 'A' ? 66 : 65
      const text = tampered.toString()
      // The last character of a part may contain bits that base64url ignores.
      if (sameBytes(text, encrypted)) continue
      assert.throws(() => keyring.decrypt('letter', text), `character ${index}`)
    }
    assert.throws(() => keyring.decrypt('letter', encrypted.slice(0, -4)))
    assert.throws(() => keyring.decrypt('letter', ''))
  })

  test('The keyring decrypts and verifies with PREVIOUS_SECRET, with and without a secret id', () => {
    const rotated = createKeyring('another secret, which is long enough, too', randomBytes, SECRET)
    const encrypted = keyring.encrypt('letter', 'text')
    assert.equal(rotated.decrypt('letter', encrypted), 'text')
    assert.equal(rotated.decrypt('letter', withoutSecretId(encrypted)), 'text')
    assert.equal(rotated.decrypt('letter', withoutSecretId(rotated.encrypt('letter', 'text'))), 'text')
    assert.ok(rotated.verifyMac('audit entry', 'text', keyring.mac('audit entry', 'text')))
    assert.ok(!rotated.verifyMac('audit head', 'text', keyring.mac('audit entry', 'text')))
    assert.ok(!rotated.verifyMac('audit entry', 'text', ''))
    assert.throws(() => keyring.decrypt('letter', rotated.encrypt('letter', 'text')), UnknownSecretError)
    assert.ok(!keyring.verifyMac('audit entry', 'text', rotated.mac('audit entry', 'text')))
  })

  test('decrypt throws another error for damaged text than for text under an unknown SECRET, for which emails wait', () => {
    const encrypted = keyring.encrypt('letter', 'text')
    const isFinal = (error: unknown) => !(error instanceof UnknownSecretError)
    for (const damaged of ['', 'text', 'some.text', `more.${encrypted}`, withoutSecretId(encrypted).replace('.', '')])
      assert.throws(() => keyring.decrypt('letter', damaged), isFinal, damaged)
  })

  test('encrypt uses the 96-bit initialization vector that NIST SP 800-38D recommends', () => {
    const [, iv = ''] = keyring.encrypt('letter', 'text').split('.')
    assert.equal(Buffer.from(iv, 'base64url').length, 12)
  })

  test('encrypt, decrypt and mac throw with an empty or short SECRET', () => {
    for (const secret of ['', 'x'.repeat(31)]) {
      const none = createKeyring(secret, randomBytes)
      assert.throws(() => none.encrypt('signing key', 'text'), /no SECRET/)
      assert.throws(() => none.mac('audit entry', 'text'), /no SECRET/)
      assert.throws(() => none.decrypt('letter', keyring.encrypt('letter', 'text')), /no SECRET/)
    }
  })

  test('decrypt throws for a shortened authentication tag', () => {
    const [id, iv, tag = '', ciphertext] = keyring.encrypt('letter', 'some text').split('.')
    const short = Buffer.from(tag, 'base64url').subarray(0, 4).toString('base64url')
    assert.throws(() => keyring.decrypt('letter', [id, iv, short, ciphertext].join('.')))
  })
})

/** The form of early versions. */
function withoutSecretId(encrypted: string): string {
  return encrypted.slice(encrypted.indexOf('.') + 1)
}

function sameBytes(one: string, other: string): boolean {
  const decode = (text: string) =>
    text
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('hex'))
      .join('.')
  return decode(one) === decode(other)
}
