import { isUtf8 } from 'node:buffer'

/**
 * Decodes UTF-8. A byte order mark stays in the text. A decoder that replaces wrong bytes by U+FFFD would decode
 * different bytes to the same text, such as two passwords in Latin-1.
 * @returns undefined when the bytes are not UTF-8
 */
export function decodeUtf8(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}
