import type { Kysely } from 'kysely'
import { countMatching } from '../../platform/database/count-matching.ts'
import type { MemberRow, OrganizationRole, OrganizationRow, Tables, UserRow } from '../../platform/database/tables.ts'
import type { Page } from '../../platform/http/paging.ts'
import { selectOfOrganization } from '../organizations/large-store.ts'

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

export async function listMemberEmails(
  database: Kysely<Tables>,
  organizationId: string,
  emails: string[],
): Promise<string[]> {
  const rows = await database
    .selectFrom('users')
    .innerJoin('members', 'members.userId', 'users.id')
    .select('users.email')
    .where('users.email', 'in', emails)
    .where('members.organizationId', '=', organizationId)
    .execute()
  return rows.map(({ email }) => email)
}

export async function updateMemberRow(
  database: Kysely<Tables>,
  id: string,
  change: Pick<MemberRow, 'role'>,
): Promise<void> {
  await database.updateTable('members').set(change).where('id', '=', id).execute()
}

/** Compare-and-set: one of several concurrent uses is written. */
export async function updateMemberUse(
  database: Kysely<Tables>,
  { id, lastUsedAt }: Pick<MemberRow, 'id' | 'lastUsedAt'>,
  now: number,
): Promise<void> {
  await database
    .updateTable('members')
    .set({ lastUsedAt: now })
    .where('id', '=', id)
    .where('lastUsedAt', lastUsedAt === null ? 'is' : '=', lastUsedAt)
    .execute()
}

export async function deleteMember(database: Kysely<Tables>, id: string): Promise<void> {
  await database.deleteFrom('members').where('id', '=', id).execute()
}

/** Members who are no owners. */
export function listSomeMembers(
  database: Kysely<Tables>,
  organizationId: string,
  limit: number,
): Promise<Pick<MemberRow, 'id' | 'userId'>[]> {
  return selectOfOrganization(database, 'members', organizationId)
    .select('userId')
    .where('role', '!=', 'owner')
    .limit(limit)
    .execute()
}

export async function deleteMembers(database: Kysely<Tables>, ids: string[]): Promise<void> {
  await database.deleteFrom('members').where('id', 'in', ids).execute()
}

function selectMembers(database: Kysely<Tables>, organizationId: string) {
  return database.selectFrom('members').selectAll().where('organizationId', '=', organizationId)
}

export function countMembers(database: Kysely<Tables>, organizationId: string): Promise<number> {
  return countMatching(selectMembers(database, organizationId))
}

export async function countMembersByRole(
  database: Kysely<Tables>,
  organizationId: string,
): Promise<Map<OrganizationRole, number>> {
  const rows = await database
    .selectFrom('members')
    .select(({ fn }) => ['role', fn.countAll<number>().as('count')])
    .where('organizationId', '=', organizationId)
    .groupBy('role')
    .execute()
  return new Map(rows.map(({ role, count }) => [role, count]))
}

type MembershipOfUser = Pick<MemberRow, 'id' | 'role' | 'createdAt' | 'lastUsedAt'> & {
  organization: Pick<OrganizationRow, 'id' | 'name' | 'slug' | 'logo'>
}

export async function listMembershipsOf(
  database: Kysely<Tables>,
  userId: string,
  { limit, offset }: Page,
): Promise<MembershipOfUser[]> {
  const rows = await database
    .selectFrom('members')
    .innerJoin('organizations', 'organizations.id', 'members.organizationId')
    .select(['members.id', 'members.organizationId', 'members.role', 'members.createdAt', 'members.lastUsedAt'])
    .select(['organizations.name', 'organizations.slug', 'organizations.logo'])
    .where('members.userId', '=', userId)
    .orderBy('members.createdAt')
    .orderBy('members.id')
    .limit(limit)
    .offset(offset)
    .execute()
  return rows.map(({ organizationId, name, slug, logo, ...member }) => ({
    ...member,
    organization: { id: organizationId, name, slug, logo },
  }))
}
