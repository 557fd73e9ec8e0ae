import { scryptSync, timingSafeEqual } from 'node:crypto'

/** The parameters of Better Auth 1.7. */
const PARAMETERS = { N: 2 ** 14, r: 16, p: 1, maxmem: 64 * 1024 * 1024 }
const PREFIX = '$scrypt$ln=14,r=16,p=1$'
export const SCRYPT_SCHEME = '$scrypt$'

/** No password has this hash, whose digest is all zeros. */
export const UNMATCHED_SCRYPT_HASH = `${PREFIX}${'0'.repeat(32)}$${'0'.repeat(128)}`

/** @returns undefined for a hash of another form, such as bcrypt */
export function parseBetterAuthHash(text: string): string | undefined {
  const [, salt, key] = /^([0-9a-f]{32}):([0-9a-f]{128})$/.exec(text) ?? []
  return salt && key && `${PREFIX}${salt}$${key}`
}

export function isScryptHash(passwordHash: string): boolean {
  return passwordHash.startsWith(SCRYPT_SCHEME)
}

/** Better Auth normalizes to NFKC, and uses the text of the salt instead of its bytes. */
export function verifyScrypt(passwordHash: string, password: string): boolean {
  const [salt = '', key = ''] = passwordHash.slice(PREFIX.length).split('$')
  const expected = Buffer.from(key, 'hex')
  return timingSafeEqual(scryptSync(password.normalize('NFKC'), salt, expected.length, PARAMETERS), expected)
}
