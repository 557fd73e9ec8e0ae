import { exportJWK, generateKeyPair } from 'jose'
import type { Context } from '../../core/context.ts'
import { newId } from '../../platform/crypto/tokens.ts'
import type { SigningKeyRow } from '../../platform/database/tables.ts'

export const ALGORITHM = 'RS256'

/** The second algorithm, for clients that ask for it. `/api/token` always signs with the first one. */
const EC_ALGORITHM = 'ES256'

/** Returns a new row with encrypted private keys of both algorithms. Too slow for a transaction. */
export async function createSigningKey(
  context: Context,
  { generation, activeAt }: Pick<SigningKeyRow, 'generation' | 'activeAt'>,
): Promise<SigningKeyRow> {
  const id = newId('key', context)
  const rsa = await createPair(context, ALGORITHM, id)
  return {
    id,
    generation,
    publicJwk: rsa.publicJwk,
    encryptedPrivateJwk: rsa.encryptedPrivateJwk,
    ...(await createEcPair(context, id)),
    createdAt: context.now(),
    activeAt,
    retiresAt: null,
    withdrawnAt: null,
  }
}

async function createEcPair(
  context: Context,
  id: string,
): Promise<{ publicEcJwk: string; encryptedPrivateEcJwk: string }> {
  const { publicJwk, encryptedPrivateJwk } = await createPair(context, EC_ALGORITHM, `${id}-es256`)
  return { publicEcJwk: publicJwk, encryptedPrivateEcJwk: encryptedPrivateJwk }
}

async function createPair(context: Context, algorithm: string, kid: string) {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, {
    modulusLength: context.config.jwtKeyBits,
    extractable: true,
  })
  return {
    publicJwk: JSON.stringify({ ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' }),
    encryptedPrivateJwk: context.keyring.encrypt('signing key', JSON.stringify(await exportJWK(privateKey))),
  }
}
