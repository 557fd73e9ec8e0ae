import type { Selectable } from 'kysely'
import { hashToken } from '../../platform/crypto/tokens.ts'
import type { SessionRow, Tables } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { Caller } from '../access/caller.ts'
import type { Actor } from '../audit/actor.ts'
import { deleteMovedClientSessions } from '../client-sessions/move-client-sessions.ts'
import type { Context } from '../context.ts'
import { markDevicesFormer } from '../devices/store.ts'
import { revokeTrustedDevices } from '../devices/trusted-device.ts'
import { inTransaction, type UnitOfWork } from '../in-transaction.ts'
import { revokeTokens } from '../single-use-tokens/single-use-tokens.ts'
import { deleteSetups } from '../two-step/store.ts'
import { lockCaller } from './lock-caller.ts'
import {
  lockSessionAndImpersonationsForUpdate,
  lockSessionsOfSignInForUpdate,
  lockSessionsOfUserForUpdate,
} from './lock-sessions.ts'
import {
  deleteSessions,
  findSessionOfToken,
  findSessionToRevoke,
  lockSessionForUpdate,
  type SessionCondition,
} from './store.ts'

/**
 * Deletes locked sessions, and those in which staff impersonate from them. Every revocation except a restore passes
 * here, so the audit log has each impersonation that ended before it expired.
 */
export async function revokeSessions(
  { transaction, context, record, endedTokenHashes }: UnitOfWork,
  condition: SessionCondition,
): Promise<Selectable<Tables['sessions']>[]> {
  const revoked = await deleteSessions(transaction, condition)
  const now = context.now()
  for (const { id, userId, tokenHash, impersonatedBy, expiresAt } of revoked) {
    endedTokenHashes.add(tokenHash)
    if (impersonatedBy !== null && expiresAt > now)
      await record({ action: 'impersonation.ended', subjectId: userId, details: { sessionId: id } })
  }
  return revoked
}

/** Sign-out. One transaction for each token: the sessions may belong to several users, whose locks could deadlock. */
export async function revokeSessionsOfTokens(context: Context, actor: Actor, tokens: string[]): Promise<void> {
  for (const token of tokens) await inTransaction(context, actor, (unit) => revokeSessionOfToken(unit, token))
}

async function revokeSessionOfToken(unit: UnitOfWork, token: string): Promise<void> {
  const session = await findSessionOfToken(unit.transaction, hashToken(token))
  if (session) await revokeSession(unit, session)
}

/**
 * Locks all sessions that the sign-in may revoke first: two sign-ins over each other's session could deadlock.
 * @param waitingId the user's own session that waited for the second step; it counts if there is no other one
 * @returns the user's own former session, neither impersonated nor expired, which the new session replaces
 */
export async function revokeFormerUnlessOwn(
  unit: UnitOfWork,
  userId: string,
  formerToken: string | undefined,
  waitingId?: string,
): Promise<SessionRow | undefined> {
  const { transaction, context } = unit
  const isOwn = (session: SessionRow | undefined) =>
    session?.userId === userId && session.impersonatedBy === null && session.expiresAt > context.now()
  if (formerToken === undefined && waitingId === undefined) return undefined
  await lockSessionsOfSignInForUpdate(transaction, userId, formerToken)
  const former = formerToken === undefined ? undefined : await findSessionOfToken(transaction, hashToken(formerToken))
  if (isOwn(former)) return former
  if (former) await revokeSession(unit, former)
  const waiting = waitingId === undefined ? undefined : await lockSessionForUpdate(transaction, waitingId)
  return isOwn(waiting) ? waiting : undefined
}

/** @throws ApiError SESSION_NOT_FOUND, also for a session of another user (CVE-2025-53895) */
export function revokeOwnSession(context: Context, actor: Actor, { user }: Caller, name: string): Promise<void> {
  return inTransaction(context, actor, async (unit) => {
    const session = await findSessionToRevoke(unit.transaction, name)
    if (session?.userId !== user.id || !(await revokeSession(unit, session)))
      throw new ApiError('SESSION_NOT_FOUND', { field: 'token' })
  })
}

/** @throws ApiError UNAUTHORIZED for a session that was revoked before */
export function revokeOwnSessions(
  context: Context,
  actor: Actor,
  caller: Caller,
  remainingId: string | null,
): Promise<void> {
  return inTransaction(context, actor, async (unit) => {
    await lockCaller(unit.transaction, context.now(), caller)
    await revokeSessionsOfUser(unit, caller.user.id, remainingId)
  })
}

/** @returns false when the session was revoked or purged concurrently */
export async function revokeSession(unit: UnitOfWork, { id, userId, impersonatedBy }: SessionRow): Promise<boolean> {
  await lockSessionAndImpersonationsForUpdate(unit.transaction, id)
  const revoked = await revokeSessions(unit, (where) => where('id', '=', id))
  if (revoked.length === 0) return false
  if (impersonatedBy === null)
    await unit.record({ action: 'session.ended', subjectId: userId, details: { sessionId: id } })
  return true
}

/**
 * Also ends impersonations of the user, sign-ins that wait for the second step, and setups of a second step, which an
 * intruder may have begun. Every device counts as new, and is asked for the second step again.
 * @param remainingId is not revoked, but loses the sessions at clients of former sessions
 */
export async function revokeSessionsOfUser(
  unit: UnitOfWork,
  userId: string,
  remainingId: string | null = null,
): Promise<void> {
  await lockSessionsOfUserForUpdate(unit.transaction, userId)
  await revokeTokens(unit.transaction, userId, ['second step'])
  await revokeTrustedDevices(unit, userId)
  await markDevicesFormer(unit.transaction, userId)
  await deleteSetups(unit.transaction, userId)
  const revoked = await revokeSessions(unit, (where) =>
    where.and([where('userId', '=', userId), ...(remainingId === null ? [] : [where('id', '!=', remainingId)])]),
  )
  if (remainingId !== null) await deleteMovedClientSessions(unit.transaction, remainingId)
  const count = revoked.filter(({ impersonatedBy }) => impersonatedBy === null).length
  if (count > 0) await unit.record({ action: 'session.ended', subjectId: userId, details: { count } })
}

export async function revokeImpersonationsOf(unit: UnitOfWork, userId: string): Promise<void> {
  await lockSessionsOfUserForUpdate(unit.transaction, userId)
  await revokeSessions(unit, (where) =>
    where.and([
      where('impersonatedBy', 'is not', null),
      where.or([where('impersonatedBy', '=', userId), where('userId', '=', userId)]),
    ]),
  )
}
