import type { Kysely } from 'kysely'
import { countMatching } from '../../platform/database/count-matching.ts'
import type { MemberRow, OrganizationRow, Tables } from '../../platform/database/tables.ts'
import type { Page } from '../../platform/http/paging.ts'

/** @returns undefined when the slug is taken: the unique index decides, also between concurrent requests */
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

export async function insertOrganizations(
  transaction: Kysely<Tables>,
  organizations: OrganizationRow[],
): Promise<void> {
  if (organizations.length > 0) await transaction.insertInto('organizations').values(organizations).execute()
}

export function listOrganizationsOf(
  database: Kysely<Tables>,
  userId: string,
  { limit, offset }: Page,
): Promise<(OrganizationRow & Pick<MemberRow, 'role'>)[]> {
  return database
    .selectFrom('organizations')
    .innerJoin('members', 'members.organizationId', 'organizations.id')
    .selectAll('organizations')
    .select('members.role')
    .where('members.userId', '=', userId)
    .orderBy('members.createdAt')
    .orderBy('organizations.id')
    .limit(limit)
    .offset(offset)
    .execute()
}

export function listOrganizationsRequiringTwoStep(
  database: Kysely<Tables>,
  userId: string,
): Promise<Pick<OrganizationRow, 'id' | 'name' | 'slug'>[]> {
  return database
    .selectFrom('organizations')
    .innerJoin('members', 'members.organizationId', 'organizations.id')
    .select(['organizations.id', 'organizations.name', 'organizations.slug'])
    .where('members.userId', '=', userId)
    .where('organizations.requireTwoFactor', '=', 1)
    .orderBy('members.createdAt')
    .orderBy('organizations.id')
    .execute()
}

/** An organization must match both the id and the slug, when both are given. */
export function findOrganization(
  database: Kysely<Tables>,
  { id, slug }: { id?: string; slug?: string },
): Promise<OrganizationRow | undefined> {
  return database
    .selectFrom('organizations')
    .selectAll()
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .$if(slug !== undefined, (query) => query.where('slug', '=', slug ?? ''))
    .executeTakeFirst()
}

export async function isSlugTaken(database: Kysely<Tables>, slug: string): Promise<boolean> {
  const found = await database.selectFrom('organizations').select('id').where('slug', '=', slug).executeTakeFirst()
  return found !== undefined
}

type OrganizationChange = Partial<Pick<OrganizationRow, 'name' | 'slug' | 'logo' | 'metadata' | 'requireTwoFactor'>>

/** @throws a unique violation when the slug is taken: see `isUniqueViolation` */
export function updateOrganizationRow(
  database: Kysely<Tables>,
  id: string,
  change: OrganizationChange,
): Promise<OrganizationRow> {
  return database.updateTable('organizations').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** Foreign keys delete all rows of the organizations, and clear them as active organizations of sessions. */
export async function deleteOrganizationRows(database: Kysely<Tables>, ids: string[]): Promise<void> {
  await database.deleteFrom('organizations').where('id', 'in', ids).execute()
}

export interface DependentCounts {
  memberCount: number
  invitationCount: number
  apiKeyCount: number
  oauthClientCount: number
}

type DependentTable = 'members' | 'invitations' | 'apiKeys' | 'oauthClients'

export async function countRowsOf(
  database: Kysely<Tables>,
  table: DependentTable,
  organizationIds: string[],
): Promise<Map<string | null, number>> {
  if (organizationIds.length === 0) return new Map()
  const rows = await database
    .selectFrom(table)
    .select(({ fn }) => ['organizationId', fn.countAll<number>().as('count')])
    .where('organizationId', 'in', organizationIds)
    .groupBy('organizationId')
    .execute()
  return new Map(rows.map((row) => [row.organizationId, row.count]))
}

export async function countDependents(
  database: Kysely<Tables>,
  organizationIds: string[],
): Promise<(id: string) => DependentCounts> {
  const members = await countRowsOf(database, 'members', organizationIds)
  const invitations = await countRowsOf(database, 'invitations', organizationIds)
  const apiKeys = await countRowsOf(database, 'apiKeys', organizationIds)
  const oauthClients = await countRowsOf(database, 'oauthClients', organizationIds)
  return (id: string) => ({
    memberCount: members.get(id) ?? 0,
    invitationCount: invitations.get(id) ?? 0,
    apiKeyCount: apiKeys.get(id) ?? 0,
    oauthClientCount: oauthClients.get(id) ?? 0,
  })
}

export function countOwnedOrganizations(database: Kysely<Tables>, userId: string): Promise<number> {
  return countMatching(database.selectFrom('members').where('userId', '=', userId).where('role', '=', 'owner'))
}
