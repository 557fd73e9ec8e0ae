import type { Kysely } from 'kysely'
import type { AuditAction } from '../../../core/audit/actions.ts'
import { insertGrant } from '../../../core/client-sessions/grant-store.ts'
import { deleteRowsBeyondLimits } from '../../../core/client-sessions/row-limits.ts'
import { insertClientSession, lockClientSessionForUpdate } from '../../../core/client-sessions/store.ts'
import type { UnitOfWork } from '../../../core/in-transaction.ts'
import { lockMembershipForShare } from '../../../core/memberships/lock-membership.ts'
import { splitScopes } from '../../../core/oauth-clients/scopes.ts'
import { lockOAuthClientForShare } from '../../../core/oauth-clients/store.ts'
import { weakerMethods } from '../../../core/sessions/authentication-methods.ts'
import { lockSessionForUpdate } from '../../../core/sessions/store.ts'
import { newId, newToken } from '../../../platform/crypto/tokens.ts'
import type { SessionRow, Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import type { SessionOfToken } from '../common/claims.ts'

export interface GrantIds {
  id: string
  sid: string
}

/** In an exchange, the methods and the sign-in are those of the subject, which may be older than the session. */
interface GivingSession extends Pick<SessionOfToken, 'id' | 'authenticationMethods' | 'createdAt' | 'signedInAt'> {
  /** The hash of the session token in the request, which a step-up replaces. Null for a request with another token. */
  tokenHash: string | null
}

interface NewGrant {
  id?: string
  clientId: string
  userId: string
  session: GivingSession
  organizationId: string | null
  /** Whether the grant also depends on the membership without the scope `organization`. */
  needsMembership?: boolean
  scopes: string
  resources: string
  expiresAt: number
}

type GrantOwner = Pick<NewGrant, 'organizationId' | 'userId' | 'session'>

/**
 * The locks make a concurrent removal or sign-out find the new grant and end it.
 * @throws ApiError ORGANIZATION_NOT_FOUND; UNAUTHORIZED when the session was revoked, or got a new token
 */
export async function lockGrantOwner(transaction: Kysely<Tables>, owner: GrantOwner): Promise<SessionRow> {
  const { organizationId, userId, session } = owner
  if (organizationId !== null && !(await lockMembershipForShare(transaction, organizationId, userId)))
    throw new ApiError('ORGANIZATION_NOT_FOUND')
  const locked = await lockSessionForUpdate(transaction, session.id)
  const isReplaced = session.tokenHash !== null && session.tokenHash !== locked?.tokenHash
  if (!locked || isReplaced) throw new ApiError('UNAUTHORIZED')
  return locked
}

/** Grants of a session at a client share a `sid`. @throws ApiError as `lockGrantOwner`; OAUTH_CLIENT_NOT_FOUND */
export async function insertNewGrant(
  unit: UnitOfWork,
  action: AuditAction,
  { session, needsMembership = false, ...given }: NewGrant,
): Promise<GrantIds> {
  const { transaction, context, record } = unit
  const now = context.now()
  const { clientId, userId } = given
  const locked = await lockGrantOwner(transaction, { organizationId: given.organizationId, userId, session })
  const authenticationMethods = weakerMethods(session.authenticationMethods, locked.authenticationMethods)
  const { name, organizationId: ownerId } = await lockOAuthClientForShare(transaction, clientId)
  // The user may have left the scope out of the consent. Then the grant does not depend on the membership.
  const isForOrganization = needsMembership || ownerId !== null || splitScopes(given.scopes).includes('organization')
  const organizationId = isForOrganization ? given.organizationId : null
  const signedInAt = session.signedInAt ?? session.createdAt
  const grant = { ...given, organizationId, authenticationMethods, signedInAt }
  const id = grant.id ?? newId('gra', context)
  const { id: sessionId } = session
  const sid = await getOrCreateSid(unit, sessionId, clientId)
  const startOfSession = { sessionId, firstSessionId: sessionId, createdAt: now, lastUsedAt: now }
  await insertClientSession(transaction, { sid, clientId, userId, ...startOfSession })
  await insertGrant(transaction, { ...grant, id, sid, createdAt: now })
  await deleteRowsBeyondLimits(transaction, { ...grant, id, sid }, now)
  await record({
    action,
    subjectId: userId,
    ...(organizationId !== null && { organizationId }),
    details: { clientId, name, sessionId },
  })
  return { id, sid }
}

/** The lock of the session prevents a second `sid`. */
async function getOrCreateSid(
  { transaction, context }: UnitOfWork,
  sessionId: string,
  clientId: string,
): Promise<string> {
  const known = await lockClientSessionForUpdate(transaction, { sessionId, clientId })
  return known?.sid ?? newToken(context)
}
