import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { findOrganizationId } from './store.ts'

/** The id of the organization that an invitation is into; undefined when there is no such invitation. */
export async function findOrganizationOfInvitation(
  database: Kysely<Tables>,
  invitationId: string,
): Promise<string | undefined> {
  return (await findOrganizationId(database, invitationId))?.organizationId
}
