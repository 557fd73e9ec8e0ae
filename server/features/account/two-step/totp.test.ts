import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOfCounter, findTimeStep, totpUri } from './totp.ts'

/** The secret of both RFCs. */
const SECRET = Buffer.from('12345678901234567890')

test('codeOfCounter returns the codes of RFC 4226, appendix D', () => {
  const codes = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489']
  assert.deepEqual(
    codes.map((_, counter) => codeOfCounter(SECRET, counter)),
    codes,
  )
})

for (const [seconds, code] of [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
] as const) {
  test(`findTimeStep accepts the code of RFC 6238, appendix B, at ${seconds} s and one step to either side`, () => {
    // The RFC has eight digits; six are the last ones of the same number.
    const sixDigits = code.slice(-6)
    const step = Math.floor(seconds / 30)
    const at = (secondsLater: number) => findTimeStep(SECRET, sixDigits, (seconds + secondsLater) * 1000)
    assert.deepEqual([at(0), at(-29), at(30), at(60)], [step, step, step, undefined])
  })
}

test('findTimeStep accepts the codes of the steps before and after, and none that is further away', () => {
  const step = 37_037_036
  const found = [-2, -1, 0, 1, 2].map((away) => findTimeStep(SECRET, codeOfCounter(SECRET, step + away), step * 30_000))
  assert.deepEqual(found, [undefined, step - 1, step, step + 1, undefined])
})

test('findTimeStep refuses text that is not a code', () => {
  for (const text of ['', '28708', '2870822', '28708a', ' 287082', '２８７０８２'])
    assert.equal(findTimeStep(SECRET, text, 59_000), undefined)
})

test('totpUri names issuer and account, and has the secret in base 32', () => {
  const uri = new URL(totpUri(SECRET, 'Example Works & Sons', 'hilda+1@example.com'))
  assert.equal(uri.href.split('?')[0], 'otpauth://totp/Example%20Works%20%26%20Sons:hilda%2B1%40example.com')
  assert.ok(!uri.search.includes('+'))
  assert.deepEqual(Object.fromEntries(uri.searchParams), {
    secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    issuer: 'Example Works & Sons',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  })
})
