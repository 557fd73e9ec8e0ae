import { crc32 } from 'node:zlib'
import { hashToken, type Randomness, toBase32Hex } from './tokens.ts'

const SECRET_BYTES = 32
/** `acc_`, the id without its prefix, 256 random bits and a checksum. */
const FORM = /^acc_[0-9a-v]{26}_[0-9a-v]{52}_[0-9a-f]{8}$/

/** An API key from Better Auth, which has no checksum, and neither the start nor the end of `FORM`. */
const IMPORTED_FORM = /^(?!acc_)(?!.*_[0-9a-v]{52}_[0-9a-f]{8}$)[\w-]{32,256}$/

export const KEY_PREFIX = 'acc_'

export function newKeyText(id: string, { randomBytes }: Pick<Randomness, 'randomBytes'>): string {
  const body = `${keyStart(id)}_${toBase32Hex(randomBytes(SECRET_BYTES))}`
  return `${body}_${checksum(body)}`
}

/** Identifies a key for users, and is no secret. */
export function keyStart(id: string): string {
  return `${KEY_PREFIX}${id.slice(id.indexOf('_') + 1)}`
}

/** Undefined for text that is no key. With the checksum, secret scanners identify a key without a request. */
export function hashKeyText(text: string): string | undefined {
  if (IMPORTED_FORM.test(text)) return hashToken(text)
  if (!FORM.test(text)) return undefined
  const end = text.lastIndexOf('_')
  return text.slice(end + 1) === checksum(text.slice(0, end)) ? hashToken(text) : undefined
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}
