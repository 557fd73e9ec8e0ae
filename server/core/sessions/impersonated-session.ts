import { createKeyring } from '../../platform/crypto/keyring.ts'
import { hashToken, newId, newToken } from '../../platform/crypto/tokens.ts'
import type { SessionRow } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { Caller } from '../access/caller.ts'
import type { Context } from '../context.ts'
import type { UnitOfWork } from '../in-transaction.ts'
import { findEncryptedImpersonatorToken } from './impersonation-store.ts'
import { IMPERSONATION_MILLISECONDS } from './lifetimes.ts'
import { findLiveSession } from './live-session-store.ts'
import { revokeSessions } from './revoke-session.ts'
import type { NewSession } from './start-session.ts'
import { insertSession, lockSessionForUpdate } from './store.ts'

export interface ImpersonationTokens {
  /** The token of the impersonated session. It encrypts the impersonator's token; the database has only its hash. */
  token: string
  encryptedImpersonatorToken: string
}

export function createImpersonationTokens(
  { randomBytes }: Pick<Context, 'randomBytes'>,
  staff: Caller,
): ImpersonationTokens {
  const token = newToken({ randomBytes })
  return { token, encryptedImpersonatorToken: createKeyring(token, randomBytes).encrypt('staff session', staff.token) }
}

/**
 * The use case records the audit event, with the reason.
 * @throws ApiError UNAUTHORIZED when the session of the staff member was revoked, or got a new token, concurrently
 */
export async function startImpersonatedSession(
  unit: UnitOfWork,
  staff: Caller,
  { userId, reason }: { userId: string; reason?: string },
  { token, encryptedImpersonatorToken }: ImpersonationTokens,
): Promise<NewSession> {
  const { transaction, context, actor } = unit
  const own = await lockSessionForUpdate(transaction, staff.session.id)
  // A new token has ended every impersonation that the former one started.
  if (own?.tokenHash !== hashToken(staff.token)) throw new ApiError('UNAUTHORIZED')
  const now = context.now()
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
  await insertSession(transaction, { ...session, impersonatorSessionId: staff.session.id, encryptedImpersonatorToken })
  return { token, session }
}

/** @returns undefined when the impersonated session was revoked concurrently */
export async function findImpersonatorToken(
  { database, randomBytes }: Pick<Context, 'database' | 'randomBytes'>,
  { session, token }: Caller,
): Promise<string | undefined> {
  const encrypted = await findEncryptedImpersonatorToken(database, session.id)
  return encrypted && createKeyring(token, randomBytes).decrypt('staff session', encrypted)
}

/** @returns the impersonator's own session; undefined for all but one of concurrent calls, or after its end */
export async function stopImpersonatedSession(
  unit: UnitOfWork,
  { session }: Caller,
  ownToken: string,
): Promise<Caller | undefined> {
  const { transaction, context } = unit
  const [revoked] = await revokeSessions(unit, (where) => where('id', '=', session.id))
  if (!revoked) return undefined
  const own = await findLiveSession(transaction, hashToken(ownToken), context.now())
  return own && { ...own, token: ownToken }
}
