import type { Kysely } from 'kysely'
import type { Caller } from '../../../core/access/caller.ts'
import { lockSessionForShare } from '../../../core/sessions/lock-sessions.ts'
import { isBanned } from '../../../core/users/banned.ts'
import { lockUserForUpdate } from '../../../core/users/lock-user.ts'
import type { Tables, UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

/**
 * Locks the user of a session. Verifying a password is slow: a session that is revoked in that time must change nothing.
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
