import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'

/** What sealed text is for; each purpose has a key of its own, so that one can never be opened as the other. */
export type SealingPurpose = 'letter' | 'signing key' | 'staff session'
/** What a keyed hash vouches for. */
export type MacPurpose = 'audit entry' | 'audit chain' | 'audit head' | 'audit start'

export interface Sealer {
  /** Text → `iv.tag.ciphertext` in base64url, opened by the same purpose and the same SECRET only. */
  seal(purpose: SealingPurpose, text: string): string
  /** @throws Error when the text was tampered with, or sealed for another purpose or under another SECRET */
  open(purpose: SealingPurpose, sealed: string): string
  /** A keyed hash (HMAC-SHA-256) in base64url: who has the text but not SECRET can't make it. */
  mac(purpose: MacPurpose, text: string): string
}

const IV_BYTES = 12
const TAG_BYTES = 16

/** AES-256-GCM (NIST SP 800-38D) with one key a purpose, derived from SECRET by HKDF-SHA-256 (RFC 5869). */
export function createSealer(secret: string, randomBytes: (byteCount: number) => Buffer): Sealer {
  const keys = new Map<string, Buffer>()

  function keyFor(use: `seal: ${SealingPurpose}` | `mac: ${MacPurpose}`): Buffer {
    const known = keys.get(use)
    if (known) return known
    const key = Buffer.from(hkdfSync('sha256', secret, 'accounts', use, 32))
    keys.set(use, key)
    return key
  }

  return {
    seal(purpose, text) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', keyFor(`seal: ${purpose}`), iv, { authTagLength: TAG_BYTES })
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return [iv, cipher.getAuthTag(), ciphertext].map((part) => part.toString('base64url')).join('.')
    },
    open(purpose, sealed) {
      const [iv, tag, ciphertext] = sealed.split('.').map((part) => Buffer.from(part, 'base64url'))
      if (!iv || !tag || !ciphertext) throw new Error('Sealed text has three parts')
      const decipher = createDecipheriv('aes-256-gcm', keyFor(`seal: ${purpose}`), iv, { authTagLength: TAG_BYTES })
      decipher.setAuthTag(tag)
      return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8')
    },
    mac: (purpose, text) =>
      createHmac('sha256', keyFor(`mac: ${purpose}`))
        .update(text)
        .digest('base64url'),
  }
}
