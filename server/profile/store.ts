import type { Kysely } from 'kysely'
import type { AccountRow, Tables, UserRow } from '../database/tables.ts'

export function updateProfile(
  database: Kysely<Tables>,
  userId: string,
  change: { name?: string; image?: string | null; updatedAt: number },
): Promise<UserRow | undefined> {
  return database.updateTable('users').set(change).where('id', '=', userId).returningAll().executeTakeFirst()
}

export function listAccounts(database: Kysely<Tables>, userId: string): Promise<Omit<AccountRow, 'passwordHash'>[]> {
  return database
    .selectFrom('accounts')
    .select(['id', 'userId', 'providerId', 'accountId', 'createdAt', 'updatedAt'])
    .where('userId', '=', userId)
    .orderBy('createdAt')
    .execute()
}

export interface OwnedOrganization {
  id: string
  name: string
  memberCount: number
  ownerCount: number
}

/**
 * The organizations that the user owns. All that the user is in are locked first, in one order, so that meanwhile nobody
 * joins or leaves one, and nobody's role in it changes, the user's neither.
 */
export async function lockOwnedOrganizations(
  transaction: Kysely<Tables>,
  userId: string,
): Promise<OwnedOrganization[]> {
  const organizations = await transaction
    .selectFrom('organizations')
    .select(['id', 'name'])
    .where('id', 'in', (members) => members.selectFrom('members').select('organizationId').where('userId', '=', userId))
    .orderBy('id')
    .forUpdate()
    .execute()
  const owned: OwnedOrganization[] = []
  for (const organization of organizations) {
    const members = await countMembers(transaction, organization.id, userId)
    if (members.ownedByUser > 0) owned.push({ ...organization, ...members })
  }
  return owned
}

async function countMembers(
  transaction: Kysely<Tables>,
  organizationId: string,
  userId: string,
): Promise<{ memberCount: number; ownerCount: number; ownedByUser: number }> {
  return transaction
    .selectFrom('members')
    .select(({ fn }) => [
      fn.countAll<number>().as('memberCount'),
      fn.countAll<number>().filterWhere('role', '=', 'owner').as('ownerCount'),
      fn.countAll<number>().filterWhere('role', '=', 'owner').filterWhere('userId', '=', userId).as('ownedByUser'),
    ])
    .where('organizationId', '=', organizationId)
    .executeTakeFirstOrThrow()
}

export async function deleteOrganization(transaction: Kysely<Tables>, id: string): Promise<void> {
  await transaction.deleteFrom('organizations').where('id', '=', id).execute()
}

export async function deleteUserRow(transaction: Kysely<Tables>, id: string): Promise<void> {
  await transaction.deleteFrom('users').where('id', '=', id).execute()
}
