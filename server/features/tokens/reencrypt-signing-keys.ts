import type { Context } from '../../core/context.ts'
import { SecretError } from '../../platform/crypto/secret-file.ts'
import { listKeys, saveSealedPrivateJwk } from './store.ts'

/**
 * Encrypts every signing key under SECRET that was encrypted under PREVIOUS_SECRET.
 * @throws SecretError when a key is damaged, unless it is withdrawn
 */
export async function reencryptSigningKeys({ database, sealer }: Context): Promise<void> {
  for (const { id, sealedPrivateJwk, withdrawnAt } of await listKeys(database)) {
    if (sealer.isCurrent(sealedPrivateJwk)) continue
    const renewed = reencrypt(sealer, sealedPrivateJwk)
    if (renewed !== undefined) await saveSealedPrivateJwk(database, id, renewed)
    else if (withdrawnAt === null) {
      throw new SecretError(
        `The signing key ${id} can't be decrypted: take it out with npm run accounts -- keys withdraw ${id}, then run this again.`,
      )
    }
  }
}

function reencrypt(sealer: Context['sealer'], sealedPrivateJwk: string): string | undefined {
  try {
    return sealer.seal('signing key', sealer.open('signing key', sealedPrivateJwk))
  } catch {
    return undefined
  }
}
