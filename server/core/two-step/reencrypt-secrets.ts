import { SecretError } from '../../platform/crypto/secret-file.ts'
import type { Context } from '../context.ts'
import { findUser } from '../users/find-user.ts'
import { listEncryptedSecrets, saveEncryptedSecret } from './store.ts'

const SECRETS_AT_ONCE = 200

/** @throws SecretError when a secret is damaged */
export async function reencryptTwoStepSecrets(context: Context): Promise<void> {
  const { database, keyring } = context
  let lastUserId = ''
  for (;;) {
    const rows = await listEncryptedSecrets(database, lastUserId, SECRETS_AT_ONCE)
    for (const { userId, encryptedSecret } of rows) {
      if (encryptedSecret === null || keyring.isCurrent(encryptedSecret)) continue
      const renewed = keyring.encrypt('second step', await decrypt(context, userId, encryptedSecret))
      await saveEncryptedSecret(database, userId, { former: encryptedSecret, renewed })
    }
    if (rows.length < SECRETS_AT_ONCE) return
    lastUserId = rows.at(-1)?.userId ?? lastUserId
  }
}

async function decrypt({ database, keyring }: Context, userId: string, encryptedSecret: string): Promise<string> {
  try {
    return keyring.decrypt('second step', encryptedSecret)
  } catch (error) {
    const email = (await findUser(database, userId))?.email ?? userId
    throw new SecretError(
      `The authenticator secret of ${email} can't be decrypted: reset it with npm run accounts -- users reset-two-factor --email ${email} --reason damaged, then run this again.`,
      { cause: error },
    )
  }
}
