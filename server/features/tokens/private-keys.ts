import { createPrivateKey } from 'node:crypto'
import type { JWK } from 'jose'
import type { Context } from '../../core/context.ts'
import type { JwtKey } from '../../platform/crypto/sign-jwt.ts'
import { type Algorithm, kidOf } from './create-signing-key.ts'
import { findKey } from './store.ts'

export interface PrivateKey extends JwtKey {
  privateJwk: JWK
}

interface PrivateKeys {
  /** @returns undefined when an earlier version made the key without this algorithm */
  find(id: string, algorithm: Algorithm): Promise<PrivateKey | undefined>
}

export function createPrivateKeys({ database, keyring }: Context): PrivateKeys {
  const decrypted = new Map<string, PrivateKey>()

  return {
    async find(id, algorithm) {
      const kid = kidOf(id, algorithm)
      const known = decrypted.get(kid)
      if (known) return known
      const row = await findKey(database, id)
      if (!row) throw new Error('The signing key was deleted')
      const encrypted = algorithm === 'ES256' ? row.encryptedPrivateEcJwk : row.encryptedPrivateJwk
      if (encrypted === null) return undefined
      const jwk = JSON.parse(keyring.decrypt('signing key', encrypted)) as JWK
      const privateJwk = { ...jwk, kid, alg: algorithm, use: 'sig' }
      const privateKey = createPrivateKey({ key: privateJwk, format: 'jwk' })
      const key = { kid, algorithm, privateJwk, privateKey }
      decrypted.set(kid, key)
      return key
    },
  }
}
