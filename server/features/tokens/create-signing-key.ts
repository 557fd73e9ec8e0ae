import { exportJWK, generateKeyPair } from 'jose'
import type { Context } from '../../core/context.ts'
import type { JwtKey } from '../../platform/crypto/sign-jwt.ts'
import { newId } from '../../platform/crypto/tokens.ts'
import type { SigningKeyRow } from '../../platform/database/tables.ts'

/** `/api/token` always signs with RS256. Clients of OpenID Connect may ask for ES256. */
export type Algorithm = JwtKey['algorithm']

/** The generation of keys is too slow for a transaction. */
export async function createSigningKey(
  context: Context,
  { generation, activeAt }: Pick<SigningKeyRow, 'generation' | 'activeAt'>,
): Promise<SigningKeyRow> {
  const id = newId('key', context)
  const rsa = await createPair(context, 'RS256', id)
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

export async function createEcPair(
  context: Context,
  id: string,
): Promise<{ publicEcJwk: string; encryptedPrivateEcJwk: string }> {
  const { publicJwk, encryptedPrivateJwk } = await createPair(context, 'ES256', kidOf(id, 'ES256'))
  return { publicEcJwk: publicJwk, encryptedPrivateEcJwk: encryptedPrivateJwk }
}

export function kidOf(id: string, algorithm: Algorithm): string {
  return algorithm === 'ES256' ? `${id}-es256` : id
}

async function createPair(context: Context, algorithm: Algorithm, kid: string) {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, {
    modulusLength: context.config.jwtKeyBits,
    extractable: true,
  })
  return {
    publicJwk: JSON.stringify({ ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' }),
    encryptedPrivateJwk: context.keyring.encrypt('signing key', JSON.stringify(await exportJWK(privateKey))),
  }
}
