import type { FastifyRequest } from 'fastify'
import type { AuthorizedMembership, Membership, OrganizationAccess } from '../../../core/access/access.ts'
import type { Caller } from '../../../core/access/caller.ts'
import { assertOrganizationPermission } from '../../../core/access/organization-permissions.ts'
import type { Context } from '../../../core/context.ts'
import { findMembership, type OrganizationReference } from '../../../core/memberships/find-membership.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { findOrganizationOfApiKey } from '../api-keys/find-organization-of-api-key.ts'
import { findOrganizationOfInvitation } from '../invitations/find-organization-of-invitation.ts'

/** How a request names an organization; both, when both are there, must be of the same one. */
interface Named {
  organizationId?: string
  organizationSlug?: string
}

/**
 * The caller's membership in the organization that the request is about.
 * @throws ApiError NO_ACTIVE_ORGANIZATION; ORGANIZATION_NOT_FOUND, KEY_NOT_FOUND or INVITATION_NOT_FOUND where the
 *   caller is not in it, as if it did not exist; FORBIDDEN where the caller's role does not grant the permission
 */
export async function authorizeOrganization(
  context: Context,
  caller: Caller,
  { organization: permission, namedBy }: OrganizationAccess,
  request: FastifyRequest,
): Promise<AuthorizedMembership> {
  const membership = namedBy
    ? await findMembershipBy(context, caller, namedBy, fieldsOf(request))
    : await getNamedMembership(context, caller, fieldsOf(request))
  if (!membership) throw new ApiError('NO_ACTIVE_ORGANIZATION')
  assertOrganizationPermission(membership.member.role, permission)
  return { ...membership, permission }
}

/**
 * The caller's membership in the organization named, else in the session's active one; null when there is neither.
 * @throws ApiError ORGANIZATION_NOT_FOUND
 */
export async function getNamedMembership(
  { database }: Context,
  { session, user }: Caller,
  { organizationId, organizationSlug }: Named,
): Promise<Membership | null> {
  const reference: OrganizationReference = {
    ...(organizationId !== undefined && { id: organizationId }),
    ...(organizationSlug !== undefined && { slug: organizationSlug }),
  }
  const isNamed = Object.keys(reference).length > 0
  if (!isNamed && session.activeOrganizationId === null) return null
  const wanted = isNamed ? reference : { id: session.activeOrganizationId ?? '' }
  const membership = await findMembership(database, user.id, wanted)
  if (!membership) throw new ApiError('ORGANIZATION_NOT_FOUND')
  return membership
}

async function findMembershipBy(
  { database }: Context,
  { user }: Caller,
  namedBy: 'api key' | 'invitation',
  { id, keyId, invitationId }: { id?: string; keyId?: string; invitationId?: string },
): Promise<Membership> {
  const organizationId =
    namedBy === 'api key'
      ? await findOrganizationOfApiKey(database, keyId ?? id ?? '')
      : await findOrganizationOfInvitation(database, invitationId ?? '')
  const membership = organizationId && (await findMembership(database, user.id, { id: organizationId }))
  if (!membership) throw new ApiError(namedBy === 'api key' ? 'KEY_NOT_FOUND' : 'INVITATION_NOT_FOUND')
  return membership
}

/** Of a POST the body, else the query: what the route's schema has validated. The other one is not looked at. */
function fieldsOf({ method, query, body }: FastifyRequest): Record<string, string> {
  return (method === 'POST' ? body : query) as Record<string, string>
}
