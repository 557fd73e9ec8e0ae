import type { Kysely } from 'kysely'
import type { InvitationRow, MemberRow, Tables } from '../../platform/database/tables.ts'

export function listPendingInvitationsBy(
  database: Kysely<Tables>,
  { organizationId, userId }: MemberRow,
): Promise<Pick<InvitationRow, 'id' | 'role'>[]> {
  return database
    .selectFrom('invitations')
    .select(['id', 'role'])
    .where('organizationId', '=', organizationId)
    .where('inviterId', '=', userId)
    .where('status', '=', 'pending')
    .execute()
}

/** The owner with the oldest membership, without this member. Banned owners come last. */
export function findOtherOwner(
  database: Kysely<Tables>,
  { organizationId, userId }: MemberRow,
): Promise<{ userId: string } | undefined> {
  return database
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.userId')
    .select('members.userId')
    .where('members.organizationId', '=', organizationId)
    .where('members.role', '=', 'owner')
    .where('members.userId', '!=', userId)
    .orderBy('users.banned')
    .orderBy('members.createdAt')
    .orderBy('members.id')
    .limit(1)
    .executeTakeFirst()
}

export async function updateInviter(database: Kysely<Tables>, ids: string[], inviterId: string): Promise<void> {
  await database.updateTable('invitations').set({ inviterId }).where('id', 'in', ids).execute()
}
