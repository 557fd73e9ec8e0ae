import type { Kysely } from 'kysely'
import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import type { Tables } from '../database/tables.ts'
import { hashToken } from '../secrets/tokens.ts'
import { deleteSessionOfToken, deleteSessionsOfUser } from './store.ts'

/** Ends the session that a credential opens; a credential that opens none is nothing to complain of. */
export async function endSessionOfToken(
  transaction: Kysely<Tables>,
  context: Context,
  actor: Actor,
  token: string,
): Promise<void> {
  const ended = await deleteSessionOfToken(transaction, hashToken(token))
  if (!ended) return
  await recordEvent(transaction, context, actor, {
    action: 'session.ended',
    subjectId: ended.userId,
    details: { sessionId: ended.id },
  })
}

/** Ends every session of a user, whoever holds them. The caller's own audit event says why. */
export function endSessionsOfUser(transaction: Kysely<Tables>, userId: string): Promise<void> {
  return deleteSessionsOfUser(transaction, userId)
}
