import { crc32 } from 'node:zlib'
import { hashToken, type Randomness, toBase32Hex } from './tokens.ts'

const SECRET_BYTES = 32
/** `acc_`, what follows the prefix of the key's id, 256 random bits, a checksum: all in letters and digits. */
const FORM = /^acc_[0-9a-v]{26}_[0-9a-v]{52}_[0-9a-f]{8}$/

export const KEY_PREFIX = 'acc_'

/** A new key, by which whoever holds it is known: shown once, then only its hash is kept. @param id such as `apk_…` */
export function newKeyText(id: string, { randomBytes }: Pick<Randomness, 'randomBytes'>): string {
  const body = `${keyStart(id)}_${toBase32Hex(randomBytes(SECRET_BYTES))}`
  return `${body}_${checksum(body)}`
}

/** What of a key may be shown again, so that people know which one it is. */
export function keyStart(id: string): string {
  return `${KEY_PREFIX}${id.slice(id.indexOf('_') + 1)}`
}

/**
 * The hash to look a key up by; undefined for text that was never a key of ours. The checksum tells secret scanners
 * (and us) a key from a look-alike without asking anybody; it is no secret and proves nothing.
 */
export function hashKeyText(text: string): string | undefined {
  if (!FORM.test(text)) return undefined
  const end = text.lastIndexOf('_')
  return text.slice(end + 1) === checksum(text.slice(0, end)) ? hashToken(text) : undefined
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}
