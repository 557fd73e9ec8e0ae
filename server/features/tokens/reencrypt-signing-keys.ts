import type { Context } from '../../core/context.ts'
import { reencrypt } from '../../platform/crypto/keyring.ts'
import { SecretError } from '../../platform/crypto/secret-file.ts'
import { listKeys, saveEncryptedPrivateJwks } from './store.ts'

/** @throws SecretError when a key is damaged, unless it is withdrawn */
export async function reencryptSigningKeys({ database, keyring }: Context): Promise<void> {
  for (const row of await listKeys(database)) {
    for (const column of ['encryptedPrivateJwk', 'encryptedPrivateEcJwk'] as const) {
      const encrypted = row[column]
      if (encrypted === null || keyring.isCurrent(encrypted)) continue
      const renewed = reencrypt(keyring, 'signing key', encrypted)
      if (renewed !== undefined) await saveEncryptedPrivateJwks(database, row.id, { [column]: renewed })
      else if (row.withdrawnAt === null) {
        throw new SecretError(
          `The signing key ${row.id} can't be decrypted: withdraw it with npm run accounts -- keys withdraw ${row.id}, then run this again.`,
        )
      }
    }
  }
}
