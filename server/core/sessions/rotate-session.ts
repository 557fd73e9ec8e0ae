import { hashToken, newToken } from '../../platform/crypto/tokens.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { Caller } from '../access/caller.ts'
import type { UnitOfWork } from '../in-transaction.ts'
import { lockSessionAndImpersonationsForUpdate } from './lock-sessions.ts'
import { revokeSessions } from './revoke-session.ts'
import type { NewSession } from './start-session.ts'
import { replaceToken } from './store.ts'

/**
 * Makes the session fresh, so the user must have authenticated again. A stolen copy of the token must not become fresh,
 * so the token is replaced. Sessions in which staff impersonate from this one contain the old token, so they are
 * revoked.
 * @throws ApiError UNAUTHORIZED when the session was revoked, or its token was replaced, concurrently
 */
export async function rotateSession(
  unit: UnitOfWork,
  caller: Pick<Caller, 'session' | 'token'>,
  authenticationMethods = caller.session.authenticationMethods,
): Promise<NewSession> {
  const { transaction, context } = unit
  const { id, userId } = caller.session
  await lockSessionAndImpersonationsForUpdate(transaction, id)
  const token = newToken(context)
  const hashes = { oldHash: hashToken(caller.token), newHash: hashToken(token) }
  const use = { authenticatedAt: context.now(), authenticationMethods }
  const session = await replaceToken(transaction, id, hashes, use)
  if (!session) throw new ApiError('UNAUTHORIZED')
  unit.endedTokenHashes.add(hashes.oldHash)
  await revokeSessions(unit, (where) => where('impersonatorSessionId', '=', id))
  await unit.record({ action: 'session.refreshed', subjectId: userId, details: { sessionId: id } })
  return { token, session }
}
