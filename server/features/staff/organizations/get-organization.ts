import type { Kysely } from 'kysely'
import type { Context } from '../../../core/context.ts'
import { countOpenInvitations } from '../../../core/invitations/store.ts'
import type { OrganizationReference } from '../../../core/memberships/find-membership.ts'
import { countOwners } from '../../../core/memberships/owner-store.ts'
import { countMembers } from '../../../core/memberships/store.ts'
import { countOAuthClients } from '../../../core/oauth-clients/store.ts'
import { findOrganization } from '../../../core/organizations/store.ts'
import type { OrganizationRow, Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { countApiKeys } from '../../organizations/api-keys/store.ts'

interface Counts {
  memberCount: number
  ownerCount: number
  openInvitationCount: number
  apiKeyCount: number
  oauthClientCount: number
}

/** @throws ApiError VALIDATION_ERROR without id and slug; ORGANIZATION_NOT_FOUND */
export async function getOrganization(
  { slowReads, now }: Context,
  reference: OrganizationReference,
): Promise<OrganizationRow & Counts> {
  if (reference.id === undefined && reference.slug === undefined)
    throw new ApiError('VALIDATION_ERROR', { field: 'id', message: 'Name the organization by its id or its slug.' })
  const organization = await requireOrganization(slowReads, reference)
  const { id } = organization
  return {
    ...organization,
    memberCount: await countMembers(slowReads, id),
    ownerCount: await countOwners(slowReads, id, now()),
    openInvitationCount: await countOpenInvitations(slowReads, id, now()),
    apiKeyCount: await countApiKeys(slowReads, id),
    oauthClientCount: await countOAuthClients(slowReads, { organizationId: id }),
  }
}

/** @throws ApiError ORGANIZATION_NOT_FOUND */
export async function requireOrganization(
  database: Kysely<Tables>,
  reference: OrganizationReference,
): Promise<OrganizationRow> {
  const organization = await findOrganization(database, reference)
  if (!organization) throw organizationNotFound()
  return organization
}

export function organizationNotFound(): ApiError {
  return new ApiError('ORGANIZATION_NOT_FOUND', { message: 'There is no such organization.' })
}
