import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '../../platform/http/errors.ts'
import { parseNewPassword, parsePassword } from './parse-password.ts'

const ADA = {
  email: 'ada.lovelace@example.com',
  name: 'Ada Lovelace-Byron',
  organizationNames: ['Analytical Engines', 'Café Müller', 'Abc'],
}

async function refusal(password: string, owner = ADA, passwordMinLength = 8): Promise<string | undefined> {
  try {
    await parseNewPassword({ passwordMinLength, brand: { name: 'Accounts' } }, owner, password)
    return undefined
  } catch (error) {
    assert.ok(error instanceof ApiError)
    return error.code
  }
}

describe('parse-password', () => {
  test('A password has 8 to 128 characters, counted in code points', async () => {
    assert.equal(await refusal('kX9!fQ2'), 'PASSWORD_TOO_SHORT')
    assert.equal(await refusal('kX9!fQ💥'), 'PASSWORD_TOO_SHORT')
    assert.equal(await refusal('kX9!fQ2💥'), undefined)
    assert.equal(await refusal('kX9!fQ2💥'.repeat(16)), undefined)
    assert.equal(await refusal(`${'kX9!fQ2💥'.repeat(16)}.`), 'PASSWORD_TOO_LONG')
  })

  test('A password with an accent is the same in both Unicode forms (NFC and NFD)', () => {
    assert.equal(parsePassword('Cafe\u0301 um acht'), parsePassword('Caf\u00e9 um acht'))
  })

  test('A password that repeats a block, counts or follows the keyboard is refused', async () => {
    const patterns = [
      ...[
        'aaaaaaaa',
        '00000000',
        '        ',
        '\u3000'.repeat(8),
        '💥'.repeat(8),
        'AAAAaaaa',
        'aaaaaaaaaaaaaaaaaaaaaaaa',
      ],
      ...['123123123', 'abcabcab', '12341234', 'xyxyxyxy', 'a1b2a1b2', '........', '?!?!?!?!'],
      ...['987654321', '12345678', '0123456789', '7890123456', '3210987654', '1234567890123'],
      ...['abcdefgh', 'hgfedcba', 'ABCDEFGHI', 'acegikmo', 'абвгдежз', '13579;=?', ' 12345678 '],
      ...['qwertyui', 'QWERTYUIOP', 'poiuytrewq', 'asdfghjkl', 'qwertzuiop', 'azertyuiop', 'lkjhgfds'],
    ]
    for (const password of patterns) assert.equal(await refusal(password), 'PASSWORD_TOO_COMMON', password)
  })

  test('A common password is refused, also in upper case and with spaces around it', async () => {
    for (const password of ['password1', 'Football', 'TRUSTNO1', ' iloveyou ', 'sunshine', 'abdominal', 'Princess1'])
      assert.equal(await refusal(password), 'PASSWORD_TOO_COMMON', password)
  })

  test('A password that is mostly the email address, a name or the service is refused', async () => {
    const personal = [
      ...['ada.lovelace@example.com', 'ADA.LOVELACE@EXAMPLE.COM', 'xx ada.lovelace@example.com and much more'],
      ...['ada.lovelace', 'Lovelace1815', '1815-lovelace', 'adalovelace!!', 'lovelacelovelace', 'LovelaceByron1'],
      ...[
        'AdaLovelaceByron',
        'analytical',
        'AnalyticalEngines',
        'engines2026',
        'cafemuller1',
        'CaféMüller1',
        'Accounts2026',
        'cafe2026!',
      ],
    ]
    for (const password of personal) assert.equal(await refusal(password), 'PASSWORD_TOO_PERSONAL', password)
    // Without its short words, which alone do not count, the rest would be long enough.
    const organizationNames = ['Byron and Son of the Sea']
    assert.equal(await refusal('ByronAndSonOfTheSea', { ...ADA, organizationNames }), 'PASSWORD_TOO_PERSONAL')
  })

  test('A password with enough characters beside the personal words is accepted', async () => {
    const fine = [
      ...[
        'lovelace of seven seas',
        'lovelace-kX9!fQ2',
        'my accounts like horses',
        'engines-and-poems-17',
        'correct horse battery staple',
      ],
      // Ada and Abc are under four letters: other words contain them.
      ...['granada-abcess', 'adagio for 3', 'example.com2026'],
      ...['12345678a9', 'aaaaaaaab', 'abcdefghz', 'qwerty-uiop', 'kX9!fQ2@', 'hello hello hello'],
    ]
    for (const password of fine) assert.equal(await refusal(password), undefined, password)
  })

  test('A password needs more characters beside the personal words when the minimum length is higher', async () => {
    assert.equal(await refusal('lovelace of seven', ADA, 8), undefined)
    assert.equal(await refusal('lovelace of seven', ADA, 12), 'PASSWORD_TOO_PERSONAL')
    assert.equal(await refusal('kX9!fQ2@', ADA, 12), 'PASSWORD_TOO_SHORT')
  })
})
