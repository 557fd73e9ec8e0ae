import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { createSealer, UnknownSecretError } from './sealing.ts'

const SECRET = 'the secret of the service, long enough'
const sealer = createSealer(SECRET, randomBytes)

describe('Sealed text', () => {
  test('opens to what was sealed, and never looks the same twice', () => {
    const text = 'a link that opens something: ümlaut ✓'
    const sealed = sealer.seal('letter', text)
    assert.notEqual(sealer.seal('letter', text), sealed)
    assert.equal(sealer.open('letter', sealed), text)
  })

  test('does not open for another purpose or under another secret', () => {
    const sealed = sealer.seal('letter', 'text')
    assert.throws(() => sealer.open('signing key', sealed))
    const other = createSealer('another secret, which is long enough, too', randomBytes)
    assert.throws(() => other.open('letter', sealed), UnknownSecretError)
  })

  test('does not open when any of its characters was changed or cut off', () => {
    const sealed = sealer.seal('letter', 'some text')
    for (let index = 0; index < sealed.length; index += 1) {
      const tampered = Buffer.from(sealed)
      tampered[index] = sealed[index] === 'A' ? 66 : 65
      const text = tampered.toString()
      // The last character of each part may carry bits that decode to nothing.
      if (sameBytes(text, sealed)) continue
      assert.throws(() => sealer.open('letter', text), `character ${index}`)
    }
    assert.throws(() => sealer.open('letter', sealed.slice(0, -4)))
    assert.throws(() => sealer.open('letter', ''))
  })

  test('of PREVIOUS_SECRET opens and its keyed hashes verify, with and without the id of older versions', () => {
    const rotated = createSealer('another secret, which is long enough, too', randomBytes, SECRET)
    const sealed = sealer.seal('letter', 'text')
    assert.equal(rotated.open('letter', sealed), 'text')
    assert.equal(rotated.open('letter', sealed.slice(sealed.indexOf('.') + 1)), 'text')
    assert.ok(rotated.verifyMac('audit entry', 'text', sealer.mac('audit entry', 'text')))
    assert.ok(!rotated.verifyMac('audit head', 'text', sealer.mac('audit entry', 'text')))
    assert.ok(!rotated.verifyMac('audit entry', 'text', ''))
    assert.throws(() => sealer.open('letter', rotated.seal('letter', 'text')), UnknownSecretError)
    assert.ok(!sealer.verifyMac('audit entry', 'text', rotated.mac('audit entry', 'text')))
  })

  test('does not exist without a SECRET: nothing is sealed, opened or vouched for under an empty or short one', () => {
    for (const secret of ['', 'x'.repeat(31)]) {
      const none = createSealer(secret, randomBytes)
      assert.throws(() => none.seal('signing key', 'text'), /no SECRET/)
      assert.throws(() => none.mac('audit entry', 'text'), /no SECRET/)
      assert.throws(() => none.open('letter', sealer.seal('letter', 'text')), /no SECRET/)
    }
  })

  test('does not open with a shortened authentication tag', () => {
    const [id, iv, tag = '', ciphertext] = sealer.seal('letter', 'some text').split('.')
    const short = Buffer.from(tag, 'base64url').subarray(0, 4).toString('base64url')
    assert.throws(() => sealer.open('letter', [id, iv, short, ciphertext].join('.')))
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
