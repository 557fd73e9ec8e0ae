import type { Kysely } from 'kysely'
import { newId, type Randomness } from '../../platform/crypto/tokens.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { PASSWORD_PROVIDER } from './password-store.ts'

/** Sets a user's password, be it their first one or not. */
export async function setPasswordHash(
  transaction: Kysely<Tables>,
  randomness: Randomness,
  userId: string,
  passwordHash: string,
): Promise<void> {
  const now = randomness.now()
  await transaction
    .insertInto('accounts')
    .values({
      id: newId('lac', randomness),
      userId,
      providerId: PASSWORD_PROVIDER,
      accountId: userId,
      passwordHash,
      createdAt: now,
      updatedAt: now,
    })
    .onConflict((conflict) => conflict.columns(['userId', 'providerId']).doUpdateSet({ passwordHash, updatedAt: now }))
    .execute()
}
