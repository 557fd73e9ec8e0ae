import { isUtf8 } from 'node:buffer'

/** A byte order mark stays. With U+FFFD for wrong bytes, different passwords in Latin-1 would be the same text. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}
