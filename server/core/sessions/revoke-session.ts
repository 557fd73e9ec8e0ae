import type { Kysely, Selectable } from 'kysely'
import { hashToken } from '../../platform/crypto/tokens.ts'
import type { SessionRow, Tables } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { Caller } from '../access/caller.ts'
import type { Actor } from '../audit/actor.ts'
import type { Context } from '../context.ts'
import { inTransaction, type UnitOfWork } from '../in-transaction.ts'
import { lockSessionsOf, lockSessionWithActing } from './lock-sessions.ts'
import { deleteSessions, findNamedSession, findSessionOfToken, type Which } from './store.ts'

/**
 * Every session that ends before its time ends here, so that whoever was acted as can see until when. Those that are
 * chosen are locked.
 * @returns them, and those in which staff acted from one of them
 */
export async function revokeSessions(unit: UnitOfWork, which: Which): Promise<Selectable<Tables['sessions']>[]> {
  const { transaction, context } = unit
  const ended = await deleteSessions(transaction, which)
  const now = context.now()
  for (const { id, userId, impersonatedBy, expiresAt } of ended) {
    if (impersonatedBy === null || expiresAt <= now) continue
    const event = { action: 'impersonation.ended', subjectId: userId, details: { sessionId: id } } as const
    await unit.record(event)
  }
  return ended
}

/** Ends the session that a credential opens; a credential that opens none is nothing to complain of. */
export async function revokeSessionOfToken(unit: UnitOfWork, token: string): Promise<void> {
  const { transaction } = unit
  const session = await findSessionOfToken(transaction, hashToken(token))
  if (session) await revokeSession(unit, session)
}

/**
 * Ends one of the caller's own sessions.
 * @param name the handle that list-sessions shows, or the session's credential
 * @throws ApiError SESSION_NOT_FOUND, also for somebody else's (CVE-2025-53895)
 */
export function revokeOwnSession(context: Context, actor: Actor, { user }: Caller, name: string): Promise<void> {
  return inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const session = await findSessionToRevoke(transaction, name)
    if (session?.userId !== user.id || !(await revokeSession(unit, session)))
      throw new ApiError('SESSION_NOT_FOUND', { field: 'token' })
  })
}

/** @param name as for `revokeOwnSession`; the session may be anybody's, so who asks must be known to be allowed to */
export function findSessionToRevoke(database: Kysely<Tables>, name: string): Promise<SessionRow | undefined> {
  return findNamedSession(database, { id: name, tokenHash: hashToken(name) })
}

/** Ends one session within the caller's transaction. @returns false when it was over already */
export async function revokeSession(unit: UnitOfWork, { id, userId, impersonatedBy }: SessionRow): Promise<boolean> {
  const { transaction } = unit
  await lockSessionWithActing(transaction, id)
  const ended = await revokeSessions(unit, (where) => where('id', '=', id))
  if (ended.length === 0) return false
  if (impersonatedBy === null) {
    const event = { action: 'session.ended', subjectId: userId, details: { sessionId: id } } as const
    await unit.record(event)
  }
  return true
}

/**
 * Ends a user's sessions, whoever holds them, within the caller's transaction.
 * @param keptId of the session that goes on; null ends all
 */
export async function revokeSessionsOfUser(
  unit: UnitOfWork,
  userId: string,
  keptId: string | null = null,
): Promise<void> {
  const { transaction } = unit
  await lockSessionsOf(transaction, userId)
  const ended = await revokeSessions(unit, (where) =>
    where.and([where('userId', '=', userId), ...(keptId === null ? [] : [where('id', '!=', keptId)])]),
  )
  const count = ended.filter(({ impersonatedBy }) => impersonatedBy === null).length
  if (count === 0) return
  await unit.record({ action: 'session.ended', subjectId: userId, details: { count } })
}

/** Ends every session in which this user acts as somebody, or somebody as them. */
export async function revokeImpersonationsOf(unit: UnitOfWork, userId: string): Promise<void> {
  const { transaction } = unit
  await lockSessionsOf(transaction, userId)
  await revokeSessions(unit, (where) =>
    where.and([
      where('impersonatedBy', 'is not', null),
      where.or([where('impersonatedBy', '=', userId), where('userId', '=', userId)]),
    ]),
  )
}
