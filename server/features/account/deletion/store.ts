import type { Kysely } from 'kysely'
import { isNotBanned } from '../../../core/users/banned.ts'
import { chunksOf } from '../../../platform/database/chunks.ts'
import type { OrganizationRole, Tables } from '../../../platform/database/tables.ts'

export interface CountedMembership {
  id: string
  name: string
  slug: string
  /** The role of the user. */
  role: OrganizationRole
  memberCount: number
  /** The number of other owners who are not banned. */
  otherOwnerCount: number
}

/**
 * Locks the organizations in the order of their ids, so that their memberships and roles do not change.
 * @param ids by default, all organizations of the user
 */
export async function lockOrganizationsOfUserForUpdate(
  transaction: Kysely<Tables>,
  userId: string,
  ids?: string[],
): Promise<void> {
  await selectOrganizationsOf(transaction, userId, ids).forUpdate().execute()
}

/** @param ids by default, all organizations of the user */
export async function listCountedMemberships(
  database: Kysely<Tables>,
  userId: string,
  now: number,
  ids?: string[],
): Promise<CountedMembership[]> {
  return addCounts(database, userId, now, await selectOrganizationsOf(database, userId, ids).execute())
}

function selectOrganizationsOf(database: Kysely<Tables>, userId: string, ids?: string[]) {
  return database
    .selectFrom('organizations')
    .select(['id', 'name', 'slug'])
    .where('id', 'in', (members) => members.selectFrom('members').select('organizationId').where('userId', '=', userId))
    .$if(ids !== undefined, (query) => query.where('id', 'in', ids ?? []))
    .orderBy('id')
}

async function addCounts(
  database: Kysely<Tables>,
  userId: string,
  now: number,
  organizations: Pick<CountedMembership, 'id' | 'name' | 'slug'>[],
): Promise<CountedMembership[]> {
  const memberships: CountedMembership[] = []
  for (const chunk of chunksOf(organizations)) {
    const ids = chunk.map(({ id }) => id)
    const counts = new Map((await countMembers(database, ids, userId)).map((row) => [row.organizationId, row]))
    const otherOwnerCounts = await countOtherOwners(database, ids, userId, now)
    for (const organization of chunk) {
      const { ownRole = null, memberCount = 0 } = counts.get(organization.id) ?? {}
      const otherOwnerCount = otherOwnerCounts.get(organization.id) ?? 0
      if (ownRole !== null) memberships.push({ ...organization, memberCount, otherOwnerCount, role: ownRole })
    }
  }
  return memberships
}

export async function countApiKeysOf(database: Kysely<Tables>, organizationIds: string[]): Promise<number> {
  if (organizationIds.length === 0) return 0
  const { count } = await database
    .selectFrom('apiKeys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organizationId', 'in', organizationIds)
    .executeTakeFirstOrThrow()
  return count
}

function countMembers(database: Kysely<Tables>, organizationIds: string[], userId: string) {
  return database
    .selectFrom('members')
    .select(({ fn }) => [
      'organizationId',
      fn.countAll<number>().as('memberCount'),
      fn.max<OrganizationRole | null>('role').filterWhere('userId', '=', userId).as('ownRole'),
    ])
    .where('organizationId', 'in', organizationIds)
    .groupBy('organizationId')
    .execute()
}

/**
 * Runs apart from the count of members, because a join would look up the user of each member.
 * @returns id of the organization → number
 */
async function countOtherOwners(
  database: Kysely<Tables>,
  organizationIds: string[],
  userId: string,
  now: number,
): Promise<Map<string, number>> {
  const rows = await database
    .selectFrom('users')
    .innerJoin('members', 'members.userId', 'users.id')
    .select(({ fn }) => ['members.organizationId', fn.countAll<number>().as('count')])
    .where('members.organizationId', 'in', organizationIds)
    .where('members.role', '=', 'owner')
    .where('members.userId', '!=', userId)
    .where(isNotBanned(now))
    .groupBy('members.organizationId')
    .execute()
  return new Map(rows.map(({ organizationId, count }) => [organizationId, count]))
}
