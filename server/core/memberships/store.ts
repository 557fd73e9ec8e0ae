import type { Kysely } from 'kysely'
import type { MemberRow, Tables, UserRow } from '../../platform/database/tables.ts'

export type MemberWithUser = MemberRow & { user: Pick<UserRow, 'id' | 'name' | 'email' | 'image'> }

export function findMember(
  database: Kysely<Tables>,
  organizationId: string,
  userId: string,
): Promise<MemberRow | undefined> {
  return selectMembers(database, organizationId).where('userId', '=', userId).executeTakeFirst()
}

export function findMemberById(
  database: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<MemberRow | undefined> {
  return selectMembers(database, organizationId).where('id', '=', id).executeTakeFirst()
}

export function findMemberByEmail(
  database: Kysely<Tables>,
  organizationId: string,
  email: string,
): Promise<MemberRow | undefined> {
  return database
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.userId')
    .selectAll('members')
    .where('members.organizationId', '=', organizationId)
    .where('users.email', '=', email)
    .executeTakeFirst()
}

/** For a transaction that has locked the organization: otherwise the other owner may leave concurrently. */
export async function hasOtherOwner(database: Kysely<Tables>, { organizationId, id }: MemberRow): Promise<boolean> {
  const other = await selectMembers(database, organizationId)
    .where('role', '=', 'owner')
    .where('id', '<>', id)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

export async function updateMemberRow(
  database: Kysely<Tables>,
  id: string,
  change: Pick<MemberRow, 'role'>,
): Promise<void> {
  await database.updateTable('members').set(change).where('id', '=', id).execute()
}

export async function deleteMember(database: Kysely<Tables>, id: string): Promise<void> {
  await database.deleteFrom('members').where('id', '=', id).execute()
}

function selectMembers(database: Kysely<Tables>, organizationId: string) {
  return database.selectFrom('members').selectAll().where('organizationId', '=', organizationId)
}

export async function countMembers(database: Kysely<Tables>, organizationId: string): Promise<number> {
  const { count } = await database
    .selectFrom('members')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organizationId', '=', organizationId)
    .executeTakeFirstOrThrow()
  return count
}
