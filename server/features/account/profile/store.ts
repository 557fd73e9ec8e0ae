import type { Kysely } from 'kysely'
import { isNotBanned } from '../../../core/users/banned.ts'
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
  /** Without banned ones. */
  otherOwnerCount: number
}

/** Locks the organizations in the order of their ids, so that their memberships and roles do not change. */
export async function lockOrganizationsOf(
  transaction: Kysely<Tables>,
  userId: string,
  now: number,
): Promise<MembershipOfUser[]> {
  return addCounts(transaction, userId, now, await selectOrganizationsOf(transaction, userId).forUpdate().execute())
}

export async function listMembershipsOf(
  database: Kysely<Tables>,
  userId: string,
  now: number,
): Promise<MembershipOfUser[]> {
  return addCounts(database, userId, now, await selectOrganizationsOf(database, userId).execute())
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
  now: number,
  organizations: Pick<MembershipOfUser, 'id' | 'name' | 'slug'>[],
): Promise<MembershipOfUser[]> {
  const memberships: MembershipOfUser[] = []
  for (const chunk of chunksOf(organizations)) {
    const ids = chunk.map(({ id }) => id)
    const counts = new Map((await countMembers(database, ids, userId, now)).map((row) => [row.organizationId, row]))
    for (const organization of chunk) {
      const { ownRole = null, memberCount = 0, otherOwnerCount = 0 } = counts.get(organization.id) ?? {}
      if (ownRole !== null) memberships.push({ ...organization, memberCount, otherOwnerCount, role: ownRole })
    }
  }
  return memberships
}

/**
 * What a deletion of the user means for each organization: `blocking` ones would have members and no owner, `deleted`
 * ones would have no member, the user leaves the others.
 */
export function sortMemberships(memberships: MembershipOfUser[]) {
  const isOnlyOwner = ({ role, otherOwnerCount }: MembershipOfUser) => role === 'owner' && otherOwnerCount === 0
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

function countMembers(database: Kysely<Tables>, organizationIds: string[], userId: string, now: number) {
  return database
    .selectFrom('members')
    .leftJoin('users', (join) =>
      join
        .onRef('users.id', '=', 'members.userId')
        .on('users.id', '!=', userId)
        .on('members.role', '=', 'owner')
        .on(isNotBanned(now)),
    )
    .select(({ fn }) => [
      'organizationId',
      fn.countAll<number>().as('memberCount'),
      fn.count<number>('users.id').as('otherOwnerCount'),
      fn.max<string | null>('members.role').filterWhere('userId', '=', userId).as('ownRole'),
    ])
    .where('organizationId', 'in', organizationIds)
    .groupBy('organizationId')
    .execute()
}
