import type { Kysely } from 'kysely'
import type { SessionRow, Tables } from '../../platform/database/tables.ts'
import { lockMembershipForShare } from '../memberships/lock-membership.ts'
import { lockSessionsOfMembersForUpdate, lockSessionsOfUserForUpdate } from './lock-sessions.ts'

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

/**
 * Reads the index in its order, so that a limit reads few sessions. For a condition with `=`, PostgreSQL ignores the
 * order, and may read every session.
 */
function selectWithActive(database: Kysely<Tables>, organizationId: string) {
  return database
    .selectFrom('sessions')
    .select('id')
    .where(({ between }) => between('activeOrganizationId', organizationId, organizationId))
    .orderBy('activeOrganizationId')
}

/** Whether an organization is the active one of more sessions than this number. */
export async function isActiveInMoreThan(
  database: Kysely<Tables>,
  organizationId: string,
  count: number,
): Promise<boolean> {
  const next = selectWithActive(database, organizationId).offset(count).limit(1)
  return (await next.executeTakeFirst()) !== undefined
}

/** Skips locked sessions, because a wait would hold up the users of the others. @returns the number of sessions */
export async function clearSomeActiveOrganizations(
  database: Kysely<Tables>,
  organizationId: string,
  limit: number,
): Promise<number> {
  const { numUpdatedRows } = await database
    // A separate query, because PostgreSQL may evaluate a condition of the change once for each row.
    .with('locked', () => selectWithActive(database, organizationId).limit(limit).forUpdate().skipLocked())
    .updateTable('sessions')
    .set({ activeOrganizationId: null })
    .where('id', 'in', (locked) => locked.selectFrom('locked').select('locked.id'))
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

export async function clearActiveOrganization(
  database: Kysely<Tables>,
  userId: string,
  organizationId: string,
): Promise<void> {
  await lockSessionsOfUserForUpdate(database, userId)
  await database
    .updateTable('sessions')
    .set({ activeOrganizationId: null })
    .where('userId', '=', userId)
    .where('activeOrganizationId', '=', organizationId)
    .execute()
}

/** `clearActiveOrganization` for several members. */
export async function clearActiveOrganizationOf(
  database: Kysely<Tables>,
  organizationId: string,
  userIds: string[],
): Promise<void> {
  await lockSessionsOfMembersForUpdate(database, organizationId, userIds)
  await database
    .updateTable('sessions')
    .set({ activeOrganizationId: null })
    .where('userId', 'in', userIds)
    .where('activeOrganizationId', '=', organizationId)
    .execute()
}
