import type { Kysely } from 'kysely'
import type { OrganizationRow, Tables } from '../database/tables.ts'

/** The unique index decides who is first: undefined when the slug is taken. */
export function insertOrganization(
  database: Kysely<Tables>,
  organization: OrganizationRow,
): Promise<OrganizationRow | undefined> {
  return database
    .insertInto('organizations')
    .values(organization)
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returningAll()
    .executeTakeFirst()
}

export function listOrganizationsOf(database: Kysely<Tables>, userId: string): Promise<OrganizationRow[]> {
  return database
    .selectFrom('organizations')
    .innerJoin('members', 'members.organizationId', 'organizations.id')
    .selectAll('organizations')
    .where('members.userId', '=', userId)
    .orderBy('members.createdAt')
    .orderBy('organizations.id')
    .execute()
}
