import { createKeyring } from '../../platform/crypto/keyring.ts'
import { hashToken, newId, newToken } from '../../platform/crypto/tokens.ts'
import type { SessionRow } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { Caller } from '../access/caller.ts'
import type { UnitOfWork } from '../in-transaction.ts'
import { IMPERSONATION_MILLISECONDS } from './lifetimes.ts'
import { revokeSessions } from './revoke-session.ts'
import type { NewSession } from './start-session.ts'
import { findLiveSession, insertSession, lockSession } from './store.ts'

/**
 * Starts a session in which staff act as somebody else, for an hour at most and no longer than their own. The caller's
 * own audit event says why.
 * @throws ApiError UNAUTHORIZED where that session ended a moment ago
 */
export async function startImpersonatedSession(unit: UnitOfWork, staff: Caller, userId: string): Promise<NewSession> {
  const { transaction, context, actor } = unit
  if (!(await lockSession(transaction, staff.session.id))) throw new ApiError('UNAUTHORIZED')
  const now = context.now()
  const token = newToken(context)
  const session: SessionRow = {
    id: newId('ses', context),
    userId,
    tokenHash: hashToken(token),
    createdAt: now,
    updatedAt: now,
    expiresAt: Math.min(now + IMPERSONATION_MILLISECONDS, staff.session.expiresAt),
    // Long ago: who acts as somebody else has not proved to be them, so the session is never fresh.
    authenticatedAt: 0,
    rememberMe: 0,
    ipAddress: actor.ipAddress,
    userAgent: actor.userAgent,
    activeOrganizationId: null,
    impersonatedBy: staff.user.id,
    properties: '{}',
  }
  // The new credential is the key, and the database has only its hash: nobody else can open this.
  const encryptedImpersonatorToken = createKeyring(token, context.randomBytes).encrypt('staff session', staff.token)
  await insertSession(transaction, { ...session, impersonatorSessionId: staff.session.id, encryptedImpersonatorToken })
  return { token, session }
}

/**
 * Ends an impersonated session. Of many that ask at once, one gets the staff's own session back.
 * @returns undefined when it was ended already
 */
export async function stopImpersonatedSession(
  unit: UnitOfWork,
  { session, token }: Caller,
): Promise<Caller | undefined> {
  const { transaction, context } = unit
  const [ended] = await revokeSessions(unit, (where) => where('id', '=', session.id))
  if (!ended?.encryptedImpersonatorToken) return undefined
  const ownToken = createKeyring(token, context.randomBytes).decrypt('staff session', ended.encryptedImpersonatorToken)
  const own = await findLiveSession(transaction, hashToken(ownToken), context.now())
  return own && { ...own, token: ownToken }
}
