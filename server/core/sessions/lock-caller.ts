import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { AuthenticatedSession, Caller } from '../access/caller.ts'
import { isBanned } from '../users/banned.ts'
import { lockUserForShare, lockUserForUpdate } from '../users/lock-user.ts'
import { lockSessionForShare, lockSessionsOfUserForUpdate } from './lock-sessions.ts'

/**
 * A session that was revoked since its authentication must change nothing. The same holds for a replaced token, which
 * may be a stolen copy. All sessions of the user are locked: a later lock of the others could deadlock.
 * @throws ApiError UNAUTHORIZED
 */
export async function lockCaller(
  transaction: Kysely<Tables>,
  now: number,
  { user, session }: Caller,
): Promise<UserRow> {
  const locked = await lockUserForUpdate(transaction, user.id)
  if (!locked || isBanned(locked, now)) throw new ApiError('UNAUTHORIZED')
  const tokenHashes = await lockSessionsOfUserForUpdate(transaction, user.id)
  if (!tokenHashes.has(session.tokenHash)) throw new ApiError('UNAUTHORIZED')
  return locked
}

/** The user is locked first: one order prevents deadlocks. @throws ApiError UNAUTHORIZED */
export async function lockCallerForShare(
  transaction: Kysely<Tables>,
  { user, session }: AuthenticatedSession,
): Promise<UserRow> {
  const locked = await lockUserForShare(transaction, user.id)
  if (!locked || !(await lockSessionForShare(transaction, session))) throw new ApiError('UNAUTHORIZED')
  return locked
}
