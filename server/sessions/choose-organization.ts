import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'

/** Sets the session's active organization. Whether its user is a member is the caller's to have checked. */
export async function chooseOrganization(
  database: Kysely<Tables>,
  sessionId: string,
  organizationId: string | null,
): Promise<void> {
  await database
    .updateTable('sessions')
    .set({ activeOrganizationId: organizationId })
    .where('id', '=', sessionId)
    .execute()
}
