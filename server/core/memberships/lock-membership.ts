import type { Kysely } from 'kysely'
import type { OrganizationRow, Tables } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { AuthorizedMembership, Membership } from '../access/access.ts'
import { assertOrganizationPermission } from '../access/organization-permissions.ts'
import { findMember } from './store.ts'

/**
 * Comes first in each transaction that changes an organization, its members, invitations or API keys. Authorizes again,
 * because the membership may have changed concurrently. A ban needs no check here: it revokes the session, which
 * `inTransaction` looks up at the end.
 * @throws ApiError ORGANIZATION_NOT_FOUND; FORBIDDEN; TWO_FACTOR_REQUIRED
 */
export async function lockMembershipForUpdate(
  transaction: Kysely<Tables>,
  { organization: { id }, member: { userId }, permission, assertSecondStepFor }: AuthorizedMembership,
): Promise<Membership> {
  const organization = await lockOrganizationForUpdate(transaction, id)
  const member = organization && (await findMember(transaction, id, userId))
  if (!organization || !member) throw new ApiError('ORGANIZATION_NOT_FOUND')
  assertOrganizationPermission(member.role, permission)
  assertSecondStepFor(organization)
  return { organization, member }
}

/** Several transactions may hold this lock. @returns whether the user is a member, until the transaction ends */
export async function lockMembershipForShare(
  transaction: Kysely<Tables>,
  organizationId: string,
  userId: string,
): Promise<boolean> {
  const isFound = await lockOrganizationForShare(transaction, organizationId)
  return isFound && (await findMember(transaction, organizationId, userId)) !== undefined
}

/** @returns whether the organization exists */
export async function lockOrganizationForShare(transaction: Kysely<Tables>, id: string): Promise<boolean> {
  const organization = await transaction
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst()
  return organization !== undefined
}

/** FOR NO KEY UPDATE: a concurrent transaction may still insert rows that refer to the organization. */
export function lockOrganizationForUpdate(
  transaction: Kysely<Tables>,
  id: string,
): Promise<OrganizationRow | undefined> {
  return transaction.selectFrom('organizations').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
}
