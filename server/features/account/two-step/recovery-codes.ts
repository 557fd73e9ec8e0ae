import { hashToken, type Randomness } from '../../../platform/crypto/tokens.ts'

const CODE_COUNT = 10
/** 5 random bits each, 140 in all. */
const CHARACTER_COUNT = 28
const GROUP = /.{4}(?=.)/g
/** Without i, l, o and u, which are misread (Crockford's base 32). */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

export function createRecoveryCodes({ randomBytes }: Pick<Randomness, 'randomBytes'>): string[] {
  return Array.from({ length: CODE_COUNT }, () => {
    const characters = [...randomBytes(CHARACTER_COUNT)].map((byte) => ALPHABET[byte % ALPHABET.length])
    return characters.join('').replace(GROUP, '$&-')
  })
}

/** The same for every way to write the code. SHA-256 is enough for 140 random bits. */
export function hashRecoveryCode(code: string): string {
  const written = code.toLowerCase().replace(/[^a-z0-9]/g, '')
  return hashToken(written.replaceAll('o', '0').replace(/[il]/g, '1'))
}
