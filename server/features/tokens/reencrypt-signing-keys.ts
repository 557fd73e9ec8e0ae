import type { Context } from '../../core/context.ts'
import { SecretError } from '../../platform/crypto/secret-file.ts'
import { listKeys, saveEncryptedPrivateJwk } from './store.ts'

/**
 * Encrypts the signing keys of PREVIOUS_SECRET under SECRET.
 * @throws SecretError when a key is damaged, unless it is withdrawn
 */
export async function reencryptSigningKeys({ database, keyring }: Context): Promise<void> {
  for (const { id, encryptedPrivateJwk, withdrawnAt } of await listKeys(database)) {
    if (keyring.isCurrent(encryptedPrivateJwk)) continue
    const renewed = reencrypt(keyring, encryptedPrivateJwk)
    if (renewed !== undefined) await saveEncryptedPrivateJwk(database, id, renewed)
    else if (withdrawnAt === null) {
      throw new SecretError(
        `The signing key ${id} can't be decrypted: withdraw it with npm run accounts -- keys withdraw ${id}, then run this again.`,
      )
    }
  }
}

function reencrypt(keyring: Context['keyring'], encryptedPrivateJwk: string): string | undefined {
  try {
    return keyring.encrypt('signing key', keyring.decrypt('signing key', encryptedPrivateJwk))
  } catch {
    return undefined
  }
}
