import type { Kysely } from 'kysely'
import type { OrganizationRow, Tables } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { Membership } from '../access/access.ts'
import { mayInOrganization, type OrganizationPermission } from '../access/organization-permissions.ts'
import { findMember, lockOrganizationRow, shareOrganizationRow } from './store.ts'

/**
 * The first step of whatever changes an organization, its members, invitations or keys: until the transaction ends
 * nobody else does. What the caller may do is asked again, for it may have been taken from them a moment ago.
 * @param permission `membership` asks for no more than still being a member
 * @throws ApiError ORGANIZATION_NOT_FOUND; FORBIDDEN
 */
export async function lockMembershipForUpdate(
  transaction: Kysely<Tables>,
  { organization: { id }, member: { userId } }: Membership,
  permission: OrganizationPermission | 'membership',
): Promise<Membership> {
  const organization = await lockOrganizationForUpdate(transaction, id)
  const member = organization && (await findMember(transaction, id, userId))
  if (!organization || !member) throw new ApiError('ORGANIZATION_NOT_FOUND')
  if (permission !== 'membership' && !mayInOrganization(member.role, permission)) throw new ApiError('FORBIDDEN')
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
