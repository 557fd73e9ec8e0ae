import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import type { Membership } from '../http/access.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import { findMembership, type OrganizationReference } from '../members/find-membership.ts'
import { mayInOrganization, type OrganizationPermission } from './roles.ts'

/**
 * The caller's membership in the organization that the request names, else in the session's active one.
 * @throws ApiError NO_ACTIVE_ORGANIZATION; ORGANIZATION_NOT_FOUND where the caller is not in it, as if it did not exist;
 *   FORBIDDEN where the caller's role does not grant the permission
 */
export async function authorizeOrganization(
  context: Context,
  caller: Caller,
  permission: string,
  request: FastifyRequest,
): Promise<Membership> {
  const reference = namedOrganization(request) ?? activeOrganization(caller)
  const membership = await findMembership(context.database, caller.user.id, reference)
  if (!membership) throw new ApiError('ORGANIZATION_NOT_FOUND')
  if (!mayInOrganization(membership.member.role, permission as OrganizationPermission)) throw new ApiError('FORBIDDEN')
  return membership
}

/** Body and query are validated by now; both names must be of one organization when both are there. */
function namedOrganization({ body, query }: FastifyRequest): OrganizationReference | undefined {
  const { organizationId, organizationSlug } = { ...(query as object), ...(body as object) } as Record<
    string,
    string | undefined
  >
  if (organizationId === undefined && organizationSlug === undefined) return undefined
  return {
    ...(organizationId !== undefined && { id: organizationId }),
    ...(organizationSlug !== undefined && { slug: organizationSlug }),
  }
}

function activeOrganization({ session }: Caller): OrganizationReference {
  if (session.activeOrganizationId === null) throw new ApiError('NO_ACTIVE_ORGANIZATION')
  return { id: session.activeOrganizationId }
}
