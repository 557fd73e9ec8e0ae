import type { Kysely } from 'kysely'
import { findOrganizationId } from '../../../core/invitations/store.ts'
import type { Tables } from '../../../platform/database/tables.ts'

/** The id of the organization that an invitation is into; undefined when there is no such invitation. */
export async function findOrganizationOfInvitation(
  database: Kysely<Tables>,
  invitationId: string,
): Promise<string | undefined> {
  return (await findOrganizationId(database, invitationId))?.organizationId
}
