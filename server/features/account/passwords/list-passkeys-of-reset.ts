import type { Context } from '../../../core/context.ts'
import { findPasskeys } from '../../../core/credentials/find-passkeys.ts'
import type { PasskeyRow } from '../../../platform/database/tables.ts'
import { requireResetUser } from './require-reset-user.ts'

/**
 * The passkeys that open the account even after the password is reset with this token, which is not used up. A reset of an
 * account whose address is not verified removes them all.
 * @throws ApiError INVALID_TOKEN
 */
export async function listPasskeysOfReset(context: Context, token: string): Promise<PasskeyRow[]> {
  const user = await requireResetUser(context, token)
  return user.emailVerified === 1 ? findPasskeys(context.database, user.id) : []
}
