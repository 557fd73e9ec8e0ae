import type { Kysely } from 'kysely'
import type { SessionRow, Tables } from '../../platform/database/tables.ts'
import { lockMembershipForShare } from '../memberships/lock-membership.ts'
import { lockSessionsOfMembersForUpdate, lockSessionsOfUserForUpdate } from './lock-sessions.ts'

export async function carryOverActiveOrganization(
  transaction: Kysely<Tables>,
  { userId, activeOrganizationId }: SessionRow,
): Promise<string | null> {
  if (activeOrganizationId === null) return null
  return (await lockMembershipForShare(transaction, activeOrganizationId, userId)) ? activeOrganizationId : null
}

/** The sessions in the order of the index. `hasMoreThan` explains `between`. */
export function selectWithActive(database: Kysely<Tables>, organizationId: string) {
  return database
    .selectFrom('sessions')
    .select('id')
    .where(({ between }) => between('activeOrganizationId', organizationId, organizationId))
    .orderBy('activeOrganizationId')
}

/** Skips locked sessions, because a wait would hold up the users of the others. */
export async function clearSomeActiveOrganizations(
  database: Kysely<Tables>,
  organizationId: string,
  limit: number,
): Promise<number> {
  const { numUpdatedRows } = await database
    // `deleteSome` explains the separate query.
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
