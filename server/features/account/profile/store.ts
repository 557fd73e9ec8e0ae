import type { Kysely } from 'kysely'
import { chunksOf } from '../../../platform/database/chunks.ts'
import type { AccountRow, Tables } from '../../../platform/database/tables.ts'

export function listAccounts(database: Kysely<Tables>, userId: string): Promise<Omit<AccountRow, 'passwordHash'>[]> {
  return database
    .selectFrom('accounts')
    .select(['id', 'userId', 'providerId', 'accountId', 'createdAt', 'updatedAt'])
    .where('userId', '=', userId)
    .orderBy('createdAt')
    .execute()
}

export interface MembershipOfUser {
  id: string
  name: string
  slug: string
  /** The role of the user. */
  role: string
  memberCount: number
  ownerCount: number
}

/** Locks the organizations in the order of their ids, so that their memberships and roles do not change. */
export async function lockOrganizationsOf(transaction: Kysely<Tables>, userId: string): Promise<MembershipOfUser[]> {
  return addCounts(transaction, userId, await selectOrganizationsOf(transaction, userId).forUpdate().execute())
}

export async function listMembershipsOf(database: Kysely<Tables>, userId: string): Promise<MembershipOfUser[]> {
  return addCounts(database, userId, await selectOrganizationsOf(database, userId).execute())
}

function selectOrganizationsOf(database: Kysely<Tables>, userId: string) {
  return database
    .selectFrom('organizations')
    .select(['id', 'name', 'slug'])
    .where('id', 'in', (members) => members.selectFrom('members').select('organizationId').where('userId', '=', userId))
    .orderBy('id')
}

async function addCounts(
  database: Kysely<Tables>,
  userId: string,
  organizations: Pick<MembershipOfUser, 'id' | 'name' | 'slug'>[],
): Promise<MembershipOfUser[]> {
  const memberships: MembershipOfUser[] = []
  for (const chunk of chunksOf(organizations)) {
    const ids = chunk.map(({ id }) => id)
    const counts = new Map((await countMembers(database, ids, userId)).map((row) => [row.organizationId, row]))
    for (const organization of chunk) {
      const { ownRole = null, memberCount = 0, ownerCount = 0 } = counts.get(organization.id) ?? {}
      if (ownRole !== null) memberships.push({ ...organization, memberCount, ownerCount, role: ownRole })
    }
  }
  return memberships
}

/**
 * What a deletion of the user means for each organization: `blocking` ones would have members and no owner, `deleted`
 * ones would have no member, the user leaves the others.
 */
export function sortMemberships(memberships: MembershipOfUser[]) {
  const isOnlyOwner = ({ role, ownerCount }: MembershipOfUser) => role === 'owner' && ownerCount === 1
  const [owned, left] = [memberships.filter(isOnlyOwner), memberships.filter((membership) => !isOnlyOwner(membership))]
  return {
    blocking: owned.filter(({ memberCount }) => memberCount > 1),
    deleted: owned.filter(({ memberCount }) => memberCount === 1),
    left,
  }
}

export async function countApiKeys(database: Kysely<Tables>, organizationIds: string[]): Promise<number> {
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
      fn.countAll<number>().filterWhere('role', '=', 'owner').as('ownerCount'),
      fn.max<string | null>('role').filterWhere('userId', '=', userId).as('ownRole'),
    ])
    .where('organizationId', 'in', organizationIds)
    .groupBy('organizationId')
    .execute()
}
