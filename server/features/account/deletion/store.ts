import type { Kysely } from 'kysely'
import { countOtherOwners } from '../../../core/memberships/owner-store.ts'
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
    // Apart from the members, because a join would look up the user of each member.
    const otherOwnerCounts = await countOtherOwners(database, ids, userId, now)
    for (const organization of chunk) {
      const { ownRole = null, memberCount = 0 } = counts.get(organization.id) ?? {}
      const otherOwnerCount = otherOwnerCounts.get(organization.id) ?? 0
      if (ownRole !== null) memberships.push({ ...organization, memberCount, otherOwnerCount, role: ownRole })
    }
  }
  return memberships
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
