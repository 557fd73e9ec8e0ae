import type { Kysely } from 'kysely'
import type { SessionRow, Tables } from '../../platform/database/tables.ts'
import { lockMembershipForShare } from '../memberships/lock-membership.ts'
import { lockSessionsOfUser } from './lock-sessions.ts'

/**
 * The caller has checked that the user is a member.
 * @returns false when the session was revoked concurrently
 */
export async function saveActiveOrganization(
  database: Kysely<Tables>,
  sessionId: string,
  organizationId: string | null,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('sessions')
    .set({ activeOrganizationId: organizationId })
    .where('id', '=', sessionId)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** The active organization of a replaced session, if its user is still a member. */
export async function carryOverActiveOrganization(
  transaction: Kysely<Tables>,
  { userId, activeOrganizationId }: SessionRow,
): Promise<string | null> {
  if (activeOrganizationId === null) return null
  return (await lockMembershipForShare(transaction, activeOrganizationId, userId)) ? activeOrganizationId : null
}

export async function clearActiveOrganization(
  database: Kysely<Tables>,
  userId: string,
  organizationId: string,
): Promise<void> {
  await lockSessionsOfUser(database, userId)
  await database
    .updateTable('sessions')
    .set({ activeOrganizationId: null })
    .where('userId', '=', userId)
    .where('activeOrganizationId', '=', organizationId)
    .execute()
}
