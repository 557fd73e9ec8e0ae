import { exportJWK, generateKeyPair } from 'jose'
import type { Context } from '../../core/context.ts'
import { newId } from '../../platform/crypto/tokens.ts'
import type { SigningKeyRow } from '../../platform/database/tables.ts'

export const ALGORITHM = 'RS256'

/** Returns a new row with an encrypted private key. Too slow for a transaction. */
export async function createSigningKey(
  context: Context,
  { generation, activeAt }: Pick<SigningKeyRow, 'generation' | 'activeAt'>,
): Promise<SigningKeyRow> {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, {
    modulusLength: context.config.jwtKeyBits,
    extractable: true,
  })
  const id = newId('key', context)
  const publicJwk = { ...(await exportJWK(publicKey)), kid: id, alg: ALGORITHM, use: 'sig' }
  return {
    id,
    generation,
    publicJwk: JSON.stringify(publicJwk),
    encryptedPrivateJwk: context.keyring.encrypt('signing key', JSON.stringify(await exportJWK(privateKey))),
    createdAt: context.now(),
    activeAt,
    retiresAt: null,
    withdrawnAt: null,
  }
}
