import { createKeyring } from '../../platform/crypto/keyring.ts'
import { hashToken, newId, newToken } from '../../platform/crypto/tokens.ts'
import type { SessionRow } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { Caller } from '../access/caller.ts'
import type { UnitOfWork } from '../in-transaction.ts'
import { IMPERSONATION_MILLISECONDS } from './lifetimes.ts'
import { revokeSessions } from './revoke-session.ts'
import type { NewSession } from './start-session.ts'
import { findLiveSession, insertSession, lockSessionForUpdate } from './store.ts'

/**
 * Starts a session in which staff impersonate a user, for an hour at most and no longer than their own session. The
 * use case records the audit event, which has the reason.
 * @throws ApiError UNAUTHORIZED when the session of the staff member was revoked concurrently
 */
export async function startImpersonatedSession(
  unit: UnitOfWork,
  staff: Caller,
  { userId, reason }: { userId: string; reason?: string },
): Promise<NewSession> {
  const { transaction, context, actor } = unit
  if (!(await lockSessionForUpdate(transaction, staff.session.id))) throw new ApiError('UNAUTHORIZED')
  const now = context.now()
  const token = newToken(context)
  const session: SessionRow = {
    id: newId('ses', context),
    userId,
    tokenHash: hashToken(token),
    createdAt: now,
    updatedAt: now,
    lastUsedAt: now,
    expiresAt: Math.min(now + IMPERSONATION_MILLISECONDS, staff.session.expiresAt),
    // Never fresh: the impersonator has not authenticated as the user.
    authenticatedAt: 0,
    authenticationMethods: staff.session.authenticationMethods,
    rememberMe: 0,
    ipAddress: actor.ipAddress,
    userAgent: actor.userAgent,
    activeOrganizationId: null,
    impersonatedBy: staff.user.id,
    properties: JSON.stringify(reason === undefined ? {} : { impersonationReason: reason }),
  }
  // The new token is the key, and the database has only its hash.
  const encryptedImpersonatorToken = createKeyring(token, context.randomBytes).encrypt('staff session', staff.token)
  await insertSession(transaction, { ...session, impersonatorSessionId: staff.session.id, encryptedImpersonatorToken })
  return { token, session }
}

/**
 * Revokes an impersonated session.
 * @returns the impersonator's own session; undefined for all but one of concurrent calls, or when that session is over
 */
export async function stopImpersonatedSession(
  unit: UnitOfWork,
  { session, token }: Caller,
): Promise<Caller | undefined> {
  const { transaction, context } = unit
  const [revoked] = await revokeSessions(unit, (where) => where('id', '=', session.id))
  if (!revoked?.encryptedImpersonatorToken) return undefined
  const ownToken = createKeyring(token, context.randomBytes).decrypt(
    'staff session',
    revoked.encryptedImpersonatorToken,
  )
  const own = await findLiveSession(transaction, hashToken(ownToken), context.now())
  return own && { ...own, token: ownToken }
}
