import type { Static } from 'typebox'
import type { Context } from '../../../core/context.ts'
import { listPasskeysOfUser } from '../../../core/credentials/passkey-store.ts'
import { toIso } from '../../../platform/http/time.ts'
import { DAY_MILLISECONDS } from '../../../platform/time/time-units.ts'
import { getResetUser } from './get-reset-user.ts'
import type { PasskeysOfReset } from './schemas.ts'

const NEW_MILLISECONDS = 30 * DAY_MILLISECONDS

/** The reset of an unverified user deletes all passkeys. @throws ApiError INVALID_TOKEN */
export async function listPasskeysOfReset(context: Context, token: string): Promise<Static<typeof PasskeysOfReset>> {
  const user = await getResetUser(context, token)
  const passkeys = user.emailVerified === 1 ? await listPasskeysOfUser(context.database, user.id) : []
  const newSince = context.now() - NEW_MILLISECONDS
  return passkeys.map(({ id, name, createdAt }) => ({
    id,
    name,
    createdAt: toIso(createdAt),
    isNew: createdAt > newSince,
  }))
}
