import { SecretError } from '../../platform/crypto/secret-file.ts'
import type { Context } from '../context.ts'
import { listEncryptedSecrets, saveEncryptedSecret } from './store.ts'

const SECRETS_AT_ONCE = 200

/**
 * Encrypts the secrets of authenticator apps of PREVIOUS_SECRET under SECRET.
 * @throws SecretError when one is damaged
 */
export async function reencryptTwoStepSecrets({ database, keyring }: Context): Promise<void> {
  let lastUserId = ''
  for (;;) {
    const rows = await listEncryptedSecrets(database, lastUserId, SECRETS_AT_ONCE)
    for (const { userId, encryptedSecret } of rows) {
      if (encryptedSecret === null || keyring.isCurrent(encryptedSecret)) continue
      const renewed = keyring.encrypt('second step', decrypt(keyring, userId, encryptedSecret))
      await saveEncryptedSecret(database, userId, { former: encryptedSecret, renewed })
    }
    if (rows.length < SECRETS_AT_ONCE) return
    lastUserId = rows.at(-1)?.userId ?? lastUserId
  }
}

function decrypt(keyring: Context['keyring'], userId: string, encryptedSecret: string): string {
  try {
    return keyring.decrypt('second step', encryptedSecret)
  } catch (error) {
    throw new SecretError(
      `The authenticator secret of the user ${userId} can't be decrypted: reset it with npm run accounts -- users reset-two-factor, then run this again.`,
      { cause: error },
    )
  }
}
