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

/** Whoever is no longer in an organization has no session in which it is the active one. */
export async function forgetOrganization(
  database: Kysely<Tables>,
  userId: string,
  organizationId: string,
): Promise<void> {
  await database
    .updateTable('sessions')
    .set({ activeOrganizationId: null })
    .where('userId', '=', userId)
    .where('activeOrganizationId', '=', organizationId)
    .execute()
}
