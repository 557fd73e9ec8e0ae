import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { createSealer } from './sealing.ts'

const sealer = createSealer('the secret of the service', randomBytes)

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
    assert.throws(() => createSealer('another secret', randomBytes).open('letter', sealed))
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

  test('does not open with a shortened authentication tag', () => {
    const [iv, tag = '', ciphertext] = sealer.seal('letter', 'some text').split('.')
    const short = Buffer.from(tag, 'base64url').subarray(0, 4).toString('base64url')
    assert.throws(() => sealer.open('letter', [iv, short, ciphertext].join('.')))
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
