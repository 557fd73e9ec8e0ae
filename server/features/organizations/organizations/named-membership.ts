import type { FastifyRequest } from 'fastify'
import type { Membership } from '../../../core/access/access.ts'
import type { OrganizationAccess } from '../../../core/access/access-rules.ts'
import type { Caller } from '../../../core/access/caller.ts'
import type { Context } from '../../../core/context.ts'
import { findOrganizationOfInvitation } from '../../../core/invitations/store.ts'
import { findMembership, type OrganizationReference } from '../../../core/memberships/find-membership.ts'
import { saveLastUse } from '../../../core/memberships/save-last-use.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { findApiKey } from '../api-keys/store.ts'

/** The organization that a request names. If it has both fields, they must name the same organization. */
interface Named {
  organizationId?: string
  organizationSlug?: string
}

/**
 * A caller who is not a member gets the same response as for an unknown id.
 * @throws ApiError NO_ACTIVE_ORGANIZATION; ORGANIZATION_NOT_FOUND; KEY_NOT_FOUND; INVITATION_NOT_FOUND
 */
export async function getMembershipOfRequest(
  context: Context,
  caller: Caller,
  request: FastifyRequest,
  { namedBy }: OrganizationAccess,
): Promise<Membership> {
  if (namedBy) return getMembershipBy(context, caller, namedBy, fieldsOf(request))
  const membership = await resolveNamedMembership(context, caller, fieldsOf(request))
  if (!membership) throw new ApiError('NO_ACTIVE_ORGANIZATION')
  return membership
}

/** @returns undefined without a named and without an active organization @throws ApiError ORGANIZATION_NOT_FOUND */
export async function resolveNamedMembership(
  context: Context,
  caller: Caller,
  { organizationId, organizationSlug }: Named,
): Promise<Membership | undefined> {
  const reference: OrganizationReference = {
    ...(organizationId !== undefined && { id: organizationId }),
    ...(organizationSlug !== undefined && { slug: organizationSlug }),
  }
  const { session, user } = caller
  const isNamed = Object.keys(reference).length > 0
  if (!isNamed && session.activeOrganizationId === null) return undefined
  const wanted = isNamed ? reference : { id: session.activeOrganizationId ?? '' }
  const membership = await findMembership(context.database, user.id, wanted)
  if (!membership) throw new ApiError('ORGANIZATION_NOT_FOUND')
  await saveLastUse(context, caller, membership)
  return membership
}

async function getMembershipBy(
  context: Context,
  caller: Caller,
  namedBy: 'api key' | 'invitation',
  { id, keyId, invitationId }: { id?: string; keyId?: string; invitationId?: string },
): Promise<Membership> {
  const { database } = context
  const organizationId =
    namedBy === 'api key'
      ? (await findApiKey(database, keyId ?? id ?? ''))?.organizationId
      : await findOrganizationOfInvitation(database, invitationId ?? '')
  const membership = organizationId && (await findMembership(database, caller.user.id, { id: organizationId }))
  if (!membership) throw new ApiError(namedBy === 'api key' ? 'KEY_NOT_FOUND' : 'INVITATION_NOT_FOUND')
  await saveLastUse(context, caller, membership)
  return membership
}

/** The body of a POST, otherwise the query: the part that the schema of the route has validated. */
function fieldsOf({ method, query, body }: FastifyRequest): Record<string, string> {
  return (method === 'POST' ? body : query) as Record<string, string>
}
