import type { Kysely } from 'kysely'
import type { SessionRow, Tables } from '../../platform/database/tables.ts'
import { lockMembershipForShare } from '../memberships/lock-membership.ts'
import { lockSessionsOf } from './lock-sessions.ts'

/** Sets the session's active organization. Whether its user is a member is the caller's to have checked. */
export async function saveActiveOrganization(
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

/** What a session takes over from the one before it; none where its user is no longer in it. */
export async function carryOverActiveOrganization(
  transaction: Kysely<Tables>,
  { userId, activeOrganizationId }: SessionRow,
): Promise<string | null> {
  if (activeOrganizationId === null) return null
  return (await lockMembershipForShare(transaction, activeOrganizationId, userId)) ? activeOrganizationId : null
}

/** Whoever is no longer in an organization has no session in which it is the active one. */
export async function clearActiveOrganization(
  database: Kysely<Tables>,
  userId: string,
  organizationId: string,
): Promise<void> {
  await lockSessionsOf(database, userId)
  await database
    .updateTable('sessions')
    .set({ activeOrganizationId: null })
    .where('userId', '=', userId)
    .where('activeOrganizationId', '=', organizationId)
    .execute()
}
