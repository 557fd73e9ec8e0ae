import { isUtf8 } from 'node:buffer'

/**
 * Text for bytes; undefined when they are not UTF-8. A decoder that replaces wrong bytes by U+FFFD would make one text of
 * several, such as two passwords in Latin-1. A byte order mark stays.
 */
export function decodeUtf8(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}
