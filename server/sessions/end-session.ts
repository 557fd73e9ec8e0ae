import type { Kysely } from 'kysely'
import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import type { SessionRow, Tables } from '../database/tables.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import { hashToken } from '../secrets/tokens.ts'
import { lockSessionsOf } from './lock-sessions.ts'
import { deleteNamedSession, deleteOtherSessions, deleteSessionOfToken, findNamedSession } from './store.ts'

/** Ends the session that a credential opens; a credential that opens none is nothing to complain of. */
export async function endSessionOfToken(
  transaction: Kysely<Tables>,
  context: Context,
  actor: Actor,
  token: string,
): Promise<void> {
  const ended = await deleteSessionOfToken(transaction, hashToken(token))
  if (ended) await recordEnd(transaction, context, actor, ended)
}

/**
 * Ends one of the caller's own sessions.
 * @param name the handle that list-sessions shows, or the session's credential
 * @throws ApiError SESSION_NOT_FOUND, also for somebody else's (CVE-2025-53895)
 */
export function endOwnSession(context: Context, actor: Actor, { user }: Caller, name: string): Promise<void> {
  return context.database.transaction().execute(async (transaction) => {
    const ended = await deleteNamedSession(transaction, user.id, { id: name, tokenHash: hashToken(name) })
    if (!ended) throw new ApiError('SESSION_NOT_FOUND', { field: 'token' })
    await recordEnd(transaction, context, actor, ended)
  })
}

/** @param name as for `endOwnSession`; the session may be anybody's, so who asks must be known to be allowed to */
export function findSessionToEnd(database: Kysely<Tables>, name: string): Promise<SessionRow | undefined> {
  return findNamedSession(database, { id: name, tokenHash: hashToken(name) })
}

/** Ends one session within the caller's transaction. @returns false when it was over already */
export async function endSession(
  transaction: Kysely<Tables>,
  context: Context,
  actor: Actor,
  { userId, id, tokenHash }: SessionRow,
): Promise<boolean> {
  const ended = await deleteNamedSession(transaction, userId, { id, tokenHash })
  if (ended) await recordEnd(transaction, context, actor, ended)
  return ended !== undefined
}

/**
 * Ends a user's sessions, whoever holds them, within the caller's transaction.
 * @param keptId of the session that goes on; null ends all
 */
export async function endSessionsOfUser(
  transaction: Kysely<Tables>,
  context: Context,
  actor: Actor,
  userId: string,
  keptId: string | null = null,
): Promise<void> {
  await lockSessionsOf(transaction, userId)
  const count = await deleteOtherSessions(transaction, userId, keptId)
  if (count === 0) return
  await recordEvent(transaction, context, actor, { action: 'session.ended', subjectId: userId, details: { count } })
}

function recordEnd(
  transaction: Kysely<Tables>,
  context: Context,
  actor: Actor,
  { id, userId }: SessionRow,
): Promise<void> {
  return recordEvent(transaction, context, actor, {
    action: 'session.ended',
    subjectId: userId,
    details: { sessionId: id },
  })
}
