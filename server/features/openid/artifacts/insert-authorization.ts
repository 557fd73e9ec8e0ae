import type { Insertable, Kysely } from 'kysely'
import type { AdapterPayload } from 'oidc-provider'
import type { AuditAction } from '../../../core/audit/actions.ts'
import { insertGrant } from '../../../core/client-sessions/grant-store.ts'
import { deleteRowsBeyondLimits } from '../../../core/client-sessions/row-limits.ts'
import { insertClientSession, listClientSessions } from '../../../core/client-sessions/store.ts'
import { inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { lockMembershipForShare } from '../../../core/memberships/lock-membership.ts'
import { splitScopes } from '../../../core/oauth-clients/scopes.ts'
import { lockOAuthClientForShare } from '../../../core/oauth-clients/store.ts'
import { toAllowed } from '../../../core/oauth-consents/store.ts'
import { lockSessionForUpdate } from '../../../core/sessions/store.ts'
import { newId, newToken } from '../../../platform/crypto/tokens.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import type { OpenIdContext } from '../grants/openid-context.ts'
import { getRequestState } from '../grants/request-state.ts'
import { REFRESH_TOKEN_SECONDS } from '../grants/scopes.ts'
import { assertAllowed } from './assert-allowed.ts'
import { insertArtifact } from './store.ts'

/**
 * Stores an authorization code with its grant and the session at the client. The `sid` of the library is not used: a
 * concurrent request may have started the session at the client, or ended it.
 */
export async function insertAuthorization(
  context: OpenIdContext,
  payload: AdapterPayload,
  artifactOf: (sid: string) => Insertable<Tables['oauthArtifacts']>,
): Promise<void> {
  const { actor, caller, membership } = getRequestState()
  const { grantId, clientId, scope = '', resource = [] } = payload
  if (!caller || grantId === undefined || clientId === undefined)
    throw new Error('An authorization needs a session, a grant and a client')
  const userId = caller.user.id
  const organizationId = membership?.organization.id ?? null
  await inTransaction(context, actor, async (unit) => {
    const { sid } = await insertNewGrant(unit, 'oauth-client.signed-in', {
      id: grantId,
      clientId,
      userId,
      sessionId: caller.session.id,
      organizationId,
      scopes: scope,
      resources: JSON.stringify([resource].flat()),
      expiresAt: context.now() + REFRESH_TOKEN_SECONDS * 1000,
    })
    await assertAllowed(unit.transaction, { userId, clientId }, toAllowed(splitScopes(scope), organizationId))
    await insertArtifact(unit.transaction, artifactOf(sid))
  }).catch((error) => {
    if (!(error instanceof ApiError)) throw error
    throw new context.library.errors.AccessDenied('the session, the membership or the consent of the user has ended')
  })
}

interface GrantIds {
  id: string
  sid: string
}

interface NewGrant {
  id?: string
  clientId: string
  userId: string
  sessionId: string
  organizationId: string | null
  scopes: string
  resources: string
  expiresAt: number
}

type GrantOwner = Pick<NewGrant, 'organizationId' | 'userId' | 'sessionId'>

/**
 * Locks the membership and the session: a concurrent removal or sign-out must find the new grant and end it.
 * @throws ApiError ORGANIZATION_NOT_FOUND when the user has left it, UNAUTHORIZED when the session was revoked
 */
export async function lockGrantOwner(transaction: Kysely<Tables>, owner: GrantOwner): Promise<void> {
  const { organizationId, userId, sessionId } = owner
  if (organizationId !== null && !(await lockMembershipForShare(transaction, organizationId, userId)))
    throw new ApiError('ORGANIZATION_NOT_FOUND')
  if (!(await lockSessionForUpdate(transaction, sessionId))) throw new ApiError('UNAUTHORIZED')
}

/**
 * Without an id, the grant gets a new one. All grants of a session at a client have the same `sid`.
 * @throws ApiError as `lockGrantOwner`; OAUTH_CLIENT_NOT_FOUND when the client was deleted
 */
export async function insertNewGrant(
  unit: UnitOfWork,
  action: AuditAction,
  { sessionId, ...given }: NewGrant,
): Promise<GrantIds> {
  const { transaction, context, record } = unit
  const now = context.now()
  const { clientId, userId } = given
  await lockGrantOwner(transaction, { organizationId: given.organizationId, userId, sessionId })
  const { name, organizationId: ownerId } = await lockOAuthClientForShare(transaction, clientId)
  // The user may have left the scope out of the consent. Then the grant does not depend on the membership.
  const isForOrganization = ownerId !== null || splitScopes(given.scopes).includes('organization')
  const organizationId = isForOrganization ? given.organizationId : null
  const grant = { ...given, organizationId }
  const id = grant.id ?? newId('gra', context)
  const sid = await getOrCreateSid(unit, sessionId, clientId)
  await insertClientSession(transaction, { sid, sessionId, clientId, userId, createdAt: now, lastUsedAt: now })
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

/** The session is locked. @returns a new `sid` for the first grant of the session at the client */
async function getOrCreateSid(
  { transaction, context }: UnitOfWork,
  sessionId: string,
  clientId: string,
): Promise<string> {
  const known = await listClientSessions(transaction, sessionId)
  return known.find((entry) => entry.clientId === clientId)?.sid ?? newToken(context)
}
