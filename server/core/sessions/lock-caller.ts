import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { Caller } from '../access/caller.ts'
import { isBanned } from '../users/banned.ts'
import { lockUserForUpdate } from '../users/lock-user.ts'
import { lockSessionForShare } from './lock-sessions.ts'

/**
 * Locks the user of a session. A session that is revoked while a password is verified, or while the transaction waits, must
 * change nothing.
 * @throws ApiError UNAUTHORIZED
 */
export async function lockCaller(
  transaction: Kysely<Tables>,
  now: number,
  { user, session }: Caller,
): Promise<UserRow> {
  const locked = await lockUserForUpdate(transaction, user.id)
  if (!locked || isBanned(locked, now) || !(await lockSessionForShare(transaction, session.id)))
    throw new ApiError('UNAUTHORIZED')
  return locked
}
