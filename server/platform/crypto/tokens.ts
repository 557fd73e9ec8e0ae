import { hash } from 'node:crypto'

export interface Randomness {
  now: () => number
  randomBytes: (byteCount: number) => Buffer
}

/** The prefixes of ids. `acc_` is the prefix of API keys. Emails of early versions have ids with `let_`. */
export const ID_KINDS = {
  apk: 'API key',
  cli: 'OAuth client',
  con: 'consent',
  eml: 'email',
  evt: 'audit event',
  gra: 'OAuth grant',
  inv: 'invitation',
  key: 'signing key',
  lac: 'linked account',
  mem: 'membership',
  org: 'organization',
  psk: 'passkey',
  ses: 'session',
  sut: 'single-use token',
  tru: 'trusted device',
  usr: 'user',
} as const
export type IdKind = keyof typeof ID_KINDS

const TIME_BYTES = 6
const ENTROPY_BYTES = 10

/** A new id such as `usr_0jz…`: 48 bits of time, so that ids sort by age, then 80 random bits, in base32hex. */
export function newId(kind: IdKind, { now, randomBytes }: Randomness): string {
  const bytes = Buffer.alloc(TIME_BYTES + ENTROPY_BYTES)
  bytes.writeUIntBE(now(), 0, TIME_BYTES)
  randomBytes(ENTROPY_BYTES).copy(bytes, TIME_BYTES)
  return `${kind}_${toBase32Hex(bytes)}`
}

/** A new bearer secret: 256 random bits in base64url, 43 characters. */
export function newToken({ randomBytes }: Pick<Randomness, 'randomBytes'>): string {
  return randomBytes(32).toString('base64url')
}

export function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text)
}

/** SHA-256 is enough for 256 bits of entropy. A look-up by hash compares no secret byte by byte (CVE-2024-52307). */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url')
}

/** Lower-case letters and digits only (RFC 4648, section 7). */
export function toBase32Hex(bytes: Buffer): string {
  return toBase32(bytes, '0123456789abcdefghijklmnopqrstuv')
}

/** Without padding (RFC 4648). @param alphabet 32 characters */
export function toBase32(bytes: Buffer, alphabet: string): string {
  let text = ''
  let pending = 0
  let pendingBits = 0
  for (const byte of bytes) {
    pending = (pending << 8) | byte
    pendingBits += 8
    while (pendingBits >= 5) {
      pendingBits -= 5
      text += alphabet[(pending >> pendingBits) & 31]
    }
    pending &= (1 << pendingBits) - 1
  }
  return pendingBits > 0 ? text + alphabet[(pending << (5 - pendingBits)) & 31] : text
}
