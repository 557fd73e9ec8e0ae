import type { Kysely } from 'kysely'
import { reencrypt } from '../../platform/crypto/keyring.ts'
import { SecretError } from '../../platform/crypto/secret-file.ts'
import type { Tables } from '../../platform/database/tables.ts'
import type { Context } from '../context.ts'
import { findUser } from '../users/find-user.ts'
import { listEncryptedSecrets, saveEncryptedSecret } from './store.ts'

const SECRETS_AT_ONCE = 200

/** @throws SecretError when a secret is damaged */
export async function reencryptTwoStepSecrets({ database, keyring }: Context): Promise<void> {
  let lastUserId = ''
  for (;;) {
    const rows = await listEncryptedSecrets(database, lastUserId, SECRETS_AT_ONCE)
    for (const { userId, encryptedSecret } of rows) {
      if (encryptedSecret === null || keyring.isCurrent(encryptedSecret)) continue
      const renewed = reencrypt(keyring, 'second step', encryptedSecret)
      if (renewed === undefined) throw await damagedSecret(database, userId)
      await saveEncryptedSecret(database, userId, { former: encryptedSecret, renewed })
    }
    if (rows.length < SECRETS_AT_ONCE) return
    lastUserId = rows.at(-1)?.userId ?? lastUserId
  }
}

async function damagedSecret(database: Kysely<Tables>, userId: string): Promise<SecretError> {
  const email = (await findUser(database, userId))?.email ?? userId
  return new SecretError(
    `The authenticator secret of ${email} can't be decrypted: reset it with npm run accounts -- users reset-two-factor --email ${email} --reason damaged, then run this again.`,
  )
}
