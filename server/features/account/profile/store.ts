import type { Kysely } from 'kysely'
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
  const organizations = await transaction
    .selectFrom('organizations')
    .select(['id', 'name', 'slug'])
    .where('id', 'in', (members) => members.selectFrom('members').select('organizationId').where('userId', '=', userId))
    .orderBy('id')
    .forUpdate()
    .execute()
  const memberships: MembershipOfUser[] = []
  for (const organization of organizations) {
    const { ownRole, ...counts } = await countMembers(transaction, organization.id, userId)
    if (ownRole !== null) memberships.push({ ...organization, ...counts, role: ownRole })
  }
  return memberships
}

async function countMembers(
  transaction: Kysely<Tables>,
  organizationId: string,
  userId: string,
): Promise<{ memberCount: number; ownerCount: number; ownRole: string | null }> {
  return transaction
    .selectFrom('members')
    .select(({ fn }) => [
      fn.countAll<number>().as('memberCount'),
      fn.countAll<number>().filterWhere('role', '=', 'owner').as('ownerCount'),
      fn.max<string | null>('role').filterWhere('userId', '=', userId).as('ownRole'),
    ])
    .where('organizationId', '=', organizationId)
    .executeTakeFirstOrThrow()
}
