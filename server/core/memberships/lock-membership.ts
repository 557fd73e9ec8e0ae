import type { Kysely } from 'kysely'
import type { OrganizationRow, Tables } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { AuthorizedMembership, Membership } from '../access/access.ts'
import { assertOrganizationPermission } from '../access/organization-permissions.ts'
import { findMember, lockOrganizationRow, shareOrganizationRow } from './store.ts'

/**
 * The first step of each transaction that changes an organization, its members, invitations or API keys. Authorizes again:
 * a concurrent transaction may have removed the member or changed the role.
 * @throws ApiError ORGANIZATION_NOT_FOUND; FORBIDDEN
 */
export async function lockMembershipForUpdate(
  transaction: Kysely<Tables>,
  { organization: { id }, member: { userId }, permission }: AuthorizedMembership,
): Promise<Membership> {
  const organization = await lockOrganizationForUpdate(transaction, id)
  const member = organization && (await findMember(transaction, id, userId))
  if (!organization || !member) throw new ApiError('ORGANIZATION_NOT_FOUND')
  assertOrganizationPermission(member.role, permission)
  return { organization, member }
}

/**
 * For what only relies on being a member: until the transaction ends nobody is removed and nothing is deleted, but others
 * may do the same. @returns whether the user is one
 */
export async function lockMembershipForShare(
  transaction: Kysely<Tables>,
  organizationId: string,
  userId: string,
): Promise<boolean> {
  const isThere = await lockOrganizationForShare(transaction, organizationId)
  return isThere && (await findMember(transaction, organizationId, userId)) !== undefined
}

/** The same, for people who are not members yet. @returns whether the organization is there */
export async function lockOrganizationForShare(transaction: Kysely<Tables>, id: string): Promise<boolean> {
  return (await shareOrganizationRow(transaction, id)) !== undefined
}

/** The first lock, for people who are not members yet. @returns undefined when the organization is gone */
export function lockOrganizationForUpdate(
  transaction: Kysely<Tables>,
  id: string,
): Promise<OrganizationRow | undefined> {
  return lockOrganizationRow(transaction, id)
}
