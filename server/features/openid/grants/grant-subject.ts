import type { Membership } from '../../../core/access/access.ts'
import { lacksSecondStepForToken } from '../../../core/access/two-step-policy.ts'
import { findGrant, listClientMetadataOfGrants } from '../../../core/client-sessions/grant-store.ts'
import type { Context } from '../../../core/context.ts'
import { findMembership } from '../../../core/memberships/find-membership.ts'
import type { ClientMetadata } from '../../../core/oauth-clients/metadata.ts'
import { splitScopes } from '../../../core/oauth-clients/scopes.ts'
import { weakerMethods } from '../../../core/sessions/authentication-methods.ts'
import { findAuthenticatedSessionById } from '../../../core/sessions/find-caller.ts'
import { SESSION_MILLISECONDS_MAXIMUM } from '../../../core/sessions/lifetimes.ts'
import type { OAuthGrantRow } from '../../../platform/database/tables.ts'
import { getRequestState } from '../common/request-state.ts'
import type { GrantSubject } from '../common/subjects.ts'

/** A grant also ends when a policy starts to require a second step that the session lacks. */
export async function findGrantSubject(context: Context, grantId: string): Promise<GrantSubject | undefined> {
  const { subjects } = getRequestState()
  const subject = subjects.get(grantId) ?? readGrantSubject(context, grantId)
  subjects.set(grantId, subject)
  return subject
}

/**
 * A token from an exchange ends with each grant of its subject, and loses each scope that one of their clients loses.
 * @param grantIds the token's own grant first
 */
export async function findSubjectOfGrants(
  context: Context,
  [grantId = '', ...former]: string[],
): Promise<GrantSubject | undefined> {
  if (former.length === 0) return findGrantSubject(context, grantId)
  const clients = await listClientMetadataOfGrants(context.database, former, context.now())
  if (clients.length < new Set(former).size) return undefined
  const subject = await findGrantSubject(context, grantId)
  if (!subject) return undefined
  const { grant } = subject
  const scopes = clients.reduce(narrowScopes, grant.scopes)
  return { ...subject, grant: { ...grant, scopes } }
}

/** The grant or its client may be allowed fewer scopes now. */
export function scopesOfNow(scope: string | undefined, { scopes }: Pick<OAuthGrantRow, 'scopes'>): string[] {
  const granted = splitScopes(scopes)
  return splitScopes(scope).filter((name) => granted.includes(name))
}

export function hasOfflineAccess(scopes: string | undefined): boolean {
  return splitScopes(scopes).includes('offline_access')
}

async function readGrantSubject(context: Context, grantId: string): Promise<GrantSubject | undefined> {
  const found = await findGrant(context.database, grantId, context.now())
  if (!found) return undefined
  const { sessionId, clientMetadata, ...grant } = found
  const current = await findAuthenticatedSessionById(context, sessionId)
  if (!current) {
    // A new sign-in of the user may have moved the grant to its session since the first read.
    const again = await findGrant(context.database, grantId, context.now())
    return again?.sessionId === sessionId ? undefined : readGrantSubject(context, grantId)
  }
  const signedInAt = grant.signedInAt ?? current.session.createdAt
  if (!current.user.emailVerified || signedInAt + SESSION_MILLISECONDS_MAXIMUM <= context.now()) return undefined
  const authenticationMethods = weakerMethods(grant.authenticationMethods, current.session.authenticationMethods)
  const authenticated = { ...current, session: { ...current.session, authenticationMethods, signedInAt } }
  const membership = await findMembershipOfGrant(context, grant)
  if (grant.organizationId !== null && !membership) return undefined
  if (lacksSecondStepForToken(context.config, authenticated, membership?.organization)) return undefined
  return { ...authenticated, grant: { ...grant, scopes: narrowScopes(grant.scopes, clientMetadata) }, membership }
}

function narrowScopes(scopes: string, clientMetadata: string): string {
  const { scope } = JSON.parse(clientMetadata) as Pick<ClientMetadata, 'scope'>
  const allowed = splitScopes(scope)
  return splitScopes(scopes)
    .filter((name) => allowed.includes(name))
    .join(' ')
}

async function findMembershipOfGrant(
  { database }: Context,
  { userId, organizationId }: OAuthGrantRow,
): Promise<Membership | undefined> {
  return organizationId === null ? undefined : findMembership(database, userId, { id: organizationId })
}
