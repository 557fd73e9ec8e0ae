import type { FastifyRequest } from 'fastify'
import type { Membership } from '../../core/access/access.ts'
import type { Caller } from '../../core/access/caller.ts'
import { isStaff } from '../../core/access/staff-permissions.ts'
import type { Context } from '../../core/context.ts'
import { findMembership } from '../../core/memberships/find-membership.ts'
import { saveLastUse } from '../../core/memberships/save-last-use.ts'
import { findOAuthClient } from '../../core/oauth-clients/store.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { resolveNamedMembership } from '../organizations/organizations/named-membership.ts'

interface Named {
  client_id?: string
  ownedBy?: 'service'
  organizationId?: string
  organizationSlug?: string
}

/**
 * @returns undefined for a client of the service
 * @throws ApiError OAUTH_CLIENT_NOT_FOUND, also for a client of an organization without the caller;
 *   ORGANIZATION_NOT_FOUND; NO_ACTIVE_ORGANIZATION
 */
export async function resolveClientOwner(
  context: Context,
  caller: Caller,
  { method, body, query }: FastifyRequest,
): Promise<Membership | undefined> {
  const named = (method === 'POST' ? body : query) as Named
  if (named.client_id !== undefined) return resolveOwnerOf(context, caller, named.client_id)
  if (named.ownedBy === 'service') return undefined
  const membership = await resolveNamedMembership(context, caller, named)
  if (!membership && !isStaff(caller.user)) throw new ApiError('NO_ACTIVE_ORGANIZATION')
  return membership
}

async function resolveOwnerOf(context: Context, caller: Caller, clientId: string): Promise<Membership | undefined> {
  const client = await findOAuthClient(context.database, clientId)
  if (client?.organizationId === null) return undefined
  const membership = client && (await findMembership(context.database, caller.user.id, { id: client.organizationId }))
  if (!membership) throw new ApiError('OAUTH_CLIENT_NOT_FOUND', { field: 'client_id' })
  await saveLastUse(context, caller, membership)
  return membership
}
