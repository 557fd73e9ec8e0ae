import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'
import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import { lockSessionsOf } from './lock-sessions.ts'
import { revokeSessions } from './revoke-session.ts'
import { listSessionsBeyond } from './store.ts'

/**
 * Revokes the oldest sessions of a user who has more than `SESSIONS_PER_USER`. Those in which staff impersonate the user
 * do not count.
 * @param newestId of the session that has just started
 */
export async function revokeOldestSessions(
  transaction: Kysely<Tables>,
  context: Context,
  actor: Actor,
  userId: string,
  newestId: string,
): Promise<void> {
  const others = context.config.sessionsPerUser - 1
  if ((await listSessionsBeyond(transaction, { userId, newestId }, others)).length === 0) return
  await lockSessionsOf(transaction, userId)
  const ids = await listSessionsBeyond(transaction, { userId, newestId }, others)
  if (ids.length === 0) return
  await revokeSessions(transaction, context, actor, (where) => where('id', 'in', ids))
  const details = { count: ids.length, reason: 'too many sessions' }
  await recordEvent(transaction, context, actor, { action: 'session.ended', subjectId: userId, details })
}
