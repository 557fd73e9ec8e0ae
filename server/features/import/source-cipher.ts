import { hash } from 'node:crypto'
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'
import { managedNonce } from '@noble/ciphers/utils.js'

/** Better Auth puts the number of its secret in front when it has several. */
const ENCRYPTED = /^(?:\$ba\$\d+\$)?((?:[0-9a-f]{2})+)$/

/** XChaCha20-Poly1305. When its secret is replaced, Better Auth leaves earlier texts under the earlier secret. */
export function decryptOfSource(secrets: string[], encrypted: string): string | undefined {
  const bytes = Buffer.from(ENCRYPTED.exec(encrypted)?.[1] ?? '', 'hex')
  for (const secret of secrets) {
    const cipher = managedNonce(xchacha20poly1305)(hash('sha256', secret, 'buffer'))
    try {
      return Buffer.from(cipher.decrypt(bytes)).toString()
    } catch {}
  }
  return undefined
}
