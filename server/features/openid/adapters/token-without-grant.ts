import type { JWTPayload } from 'jose'
import { lacksSecondStepForToken } from '../../../core/access/two-step-policy.ts'
import { findMembership } from '../../../core/memberships/find-membership.ts'
import { findOAuthClient, metadataOf } from '../../../core/oauth-clients/store.ts'
import type { OpenIdContext } from '../common/openid-context.ts'
import { getRequestState } from '../common/request-state.ts'
import { findSessionOfJwt, type SessionTokenClaims } from '../common/session-of-token.ts'
import type { CurrentSubject } from '../common/subjects.ts'
import { scopesOfNow } from '../grants/grant-subject.ts'
import { toArtifact } from './payload.ts'
import { findArtifact, hashOfArtifact, insertArtifact } from './store.ts'

/** Such a token has no row to delete. Its id is stored until it expires, which is late if the clock was ahead. */
export async function revokeTokenWithoutGrant(context: OpenIdContext, id: string): Promise<void> {
  const { accessTokenEnd } = getRequestState()
  if (accessTokenEnd === undefined) throw new Error('The request has found no access token')
  const lifetimeSeconds = (accessTokenEnd - context.now()) / 1000
  await insertArtifact(context.database, toArtifact(context, 'RevokedToken', id, {}, lifetimeSeconds))
}

/** @returns false when the token was revoked, or its client was deleted or disabled (CVE-2023-0091) */
async function isTokenWithoutGrantValid(context: OpenIdContext, claims: SessionTokenClaims): Promise<boolean> {
  if (await isRevoked(context, claims)) return false
  const { client_id } = claims
  return client_id === undefined || (await findOAuthClient(context.database, client_id))?.disabled === 0
}

/** @returns undefined when the token was revoked, or its client was deleted, disabled or lost the grant type */
export async function findScopesOfMachine(context: OpenIdContext, claims: JWTPayload): Promise<string[] | undefined> {
  const { client_id = '', scope } = claims as SessionTokenClaims & { scope?: string }
  if (await isRevoked(context, claims)) return undefined
  const client = await findOAuthClient(context.database, client_id)
  if (client?.disabled !== 0) return undefined
  const metadata = metadataOf(client)
  return metadata.grant_types.includes('client_credentials')
    ? scopesOfNow(scope, { scopes: metadata.scope })
    : undefined
}

async function isRevoked({ database, now }: OpenIdContext, { jti = '' }: JWTPayload): Promise<boolean> {
  return (await findArtifact(database, hashOfArtifact('RevokedToken', jti), now())) !== undefined
}

/** @param claims of a verified token */
export async function findSubjectWithoutGrant(
  context: OpenIdContext,
  claims: JWTPayload,
): Promise<CurrentSubject | undefined> {
  const { org_id: id } = claims as SessionTokenClaims
  if (!(await isTokenWithoutGrantValid(context, claims))) return undefined
  const authenticated = await findSessionOfJwt(context, claims)
  if (!authenticated?.user.emailVerified) return undefined
  const membership =
    id === undefined ? undefined : await findMembership(context.database, authenticated.user.id, { id })
  if (id !== undefined && !membership) return undefined
  return lacksSecondStepForToken(context.config, authenticated, membership?.organization)
    ? undefined
    : { ...authenticated, membership }
}
