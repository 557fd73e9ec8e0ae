import type { Context } from '../context.ts'
import type { OrganizationRow } from '../database/tables.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import { findMembership, type OrganizationReference } from '../members/find-membership.ts'
import { chooseOrganization } from '../sessions/choose-organization.ts'

/**
 * Chooses the organization that the session's requests mean when they name none; null chooses none.
 * @throws ApiError ORGANIZATION_NOT_FOUND where the caller is not in it
 */
export async function setActiveOrganization(
  { database }: Context,
  { session, user }: Caller,
  reference: OrganizationReference | null,
): Promise<OrganizationRow | null> {
  const membership = reference && (await findMembership(database, user.id, reference))
  if (reference && !membership) throw new ApiError('ORGANIZATION_NOT_FOUND')
  await chooseOrganization(database, session.id, membership?.organization.id ?? null)
  return membership?.organization ?? null
}
