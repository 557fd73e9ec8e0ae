import { hashToken, newToken } from '../../platform/crypto/tokens.ts'
import type { Caller } from '../access/caller.ts'
import type { UnitOfWork } from '../in-transaction.ts'
import { lockSessionWithActing } from './lock-sessions.ts'
import { revokeSessions } from './revoke-session.ts'
import type { NewSession } from './start-session.ts'
import { replaceToken } from './store.ts'

/**
 * Makes a session fresh, for a user who has just proved who they are. The token is replaced: a stolen copy of it must not
 * become fresh with its owner. Sessions in which staff act from this one are revoked, because they hold the old token.
 * @returns undefined when the session was revoked, or its token replaced, since the request was authenticated
 */
export async function rotateSession(
  unit: UnitOfWork,
  caller: Pick<Caller, 'session' | 'token'>,
): Promise<NewSession | undefined> {
  const { transaction, context } = unit
  const { id, userId } = caller.session
  await lockSessionWithActing(transaction, id)
  const token = newToken(context)
  const hashes = { oldHash: hashToken(caller.token), newHash: hashToken(token) }
  const session = await replaceToken(transaction, id, hashes, context.now())
  if (!session) return undefined
  await revokeSessions(unit, (where) => where('impersonatorSessionId', '=', id))
  const event = { action: 'session.refreshed', subjectId: userId, details: { sessionId: id } } as const
  await unit.record(event)
  return { token, session }
}
