import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { AuthenticatedSession, Caller } from '../access/caller.ts'
import { isBanned } from '../users/banned.ts'
import { lockUserForShare, lockUserForUpdate } from '../users/lock-user.ts'
import { lockSessionForShare, lockSessionsOfUserForUpdate } from './lock-sessions.ts'

/**
 * Locks the user of a session, and all sessions of the user. A session that is revoked while a password is verified, or
 * while the transaction waits, must change nothing. Neither must the token that a step-up has replaced: it may be a
 * stolen copy. A transaction that locked this session first, and others later, could deadlock.
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

/**
 * Locks the user and the session for an insert that refers to them. The user is first: one order of locks prevents
 * deadlocks.
 * @throws ApiError UNAUTHORIZED when the user was deleted or the session revoked
 */
export async function lockCallerForShare(
  transaction: Kysely<Tables>,
  { user, session }: AuthenticatedSession,
): Promise<UserRow> {
  const locked = await lockUserForShare(transaction, user.id)
  if (!locked || !(await lockSessionForShare(transaction, session))) throw new ApiError('UNAUTHORIZED')
  return locked
}
