import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '../../platform/http/errors.ts'
import { parseEmailAddress } from './email-address.ts'

const refuses = (text: string) =>
  assert.throws(() => parseEmailAddress(text), ApiError, JSON.stringify(text.slice(0, 80)))

describe('parseEmailAddress', () => {
  test('parseEmailAddress trims and lower-cases', () => {
    assert.equal(parseEmailAddress('  Ada.Lovelace+Notes@Example.COM '), 'ada.lovelace+notes@example.com')
  })

  test('parseEmailAddress accepts every common form of email address', () => {
    const taken = [
      'a@b.co',
      "o'neil@example.ie",
      'x_y-z@sub.sub.example.museum',
      'a@1.2.example',
      '1@xn--bcher-kva.example',
    ]
    for (const text of [...taken, `${'a'.repeat(64)}@example.com`]) assert.equal(parseEmailAddress(text), text)
  })

  test('CVE-2019-19844: parseEmailAddress refuses look-alike letters and letters that lower-case into ASCII', () => {
    for (const text of [
      '\u212aate@example.com',
      'm\u0131ke@example.com',
      'mike@ex\u0430mple.com',
      'mike\uff20example.com',
      'mike@example\u3002com',
    ])
      refuses(text)
  })

  test('parseEmailAddress refuses text without a name, an @ or a dot, or with other characters', () => {
    const none = [
      '',
      ' ',
      '@',
      'a',
      'a@',
      'a.b.co',
      '@b.co',
      'a@b',
      'a@b.',
      'a@.b',
      'a@b..co',
      '.a@b.co',
      'a.@b.co',
      'a..b@c.co',
      'a b@c.co',
    ]
    const odd = [
      'a@b c.co',
      'a@-b.co',
      'a@b-.co',
      '"a b"@c.co',
      'a@[127.0.0.1]',
      'a@b@c.co',
      'a\n@b.co',
      'a@b.co\u0000',
      'a,b@c.co',
      'a<b>@c.co',
    ]
    for (const text of [...none, ...odd]) refuses(text)
    refuses(`${'a'.repeat(65)}@example.com`)
    refuses(`a@${'b'.repeat(64)}.co`)
    const longest = `a@${'b.'.repeat(125)}co`
    assert.equal(longest.length, 254)
    assert.equal(parseEmailAddress(longest), longest)
    refuses(`a${longest}`)
  })

  test('CVE-2026-62317: parseEmailAddress refuses long text before slower checks', (t) => {
    const { mock } = t.mock.method(RegExp.prototype, 'test')
    for (const text of [
      'a.'.repeat(50_000),
      `${'a'.repeat(100_000)}@b.co`,
      `a@${'b-'.repeat(50_000)}`,
      '@'.repeat(100_000),
      `a@${'.'.repeat(100_000)}`,
    ])
      refuses(text)
    // The check for printable ASCII takes linear time.
    assert.deepEqual(new Set(mock.calls.map((call) => String(call.this))), new Set(['/^[\\x20-\\x7e]*$/']))
  })
})
