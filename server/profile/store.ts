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

/** The organizations that the user owns, locked in one order, so that nobody joins, leaves or is demoted meanwhile. */
export async function lockOwnedOrganizations(
  transaction: Kysely<Tables>,
  userId: string,
): Promise<OwnedOrganization[]> {
  const ownedIds = transaction
    .selectFrom('members')
    .select('organizationId')
    .where('userId', '=', userId)
    .where('role', '=', 'owner')
  const organizations = await transaction
    .selectFrom('organizations')
    .select(['id', 'name'])
    .where('id', 'in', ownedIds)
    .orderBy('id')
    .forUpdate()
    .execute()
  const owned: OwnedOrganization[] = []
  for (const organization of organizations)
    owned.push({ ...organization, ...(await countMembers(transaction, organization.id)) })
  return owned
}

async function countMembers(
  transaction: Kysely<Tables>,
  organizationId: string,
): Promise<{ memberCount: number; ownerCount: number }> {
  const roles = await transaction
    .selectFrom('members')
    .select(['role', (select) => select.fn.countAll<number>().as('count')])
    .where('organizationId', '=', organizationId)
    .groupBy('role')
    .execute()
  const memberCount = roles.reduce((sum, { count }) => sum + Number(count), 0)
  return { memberCount, ownerCount: Number(roles.find(({ role }) => role === 'owner')?.count ?? 0) }
}

export async function deleteOrganization(transaction: Kysely<Tables>, id: string): Promise<void> {
  await transaction.deleteFrom('organizations').where('id', '=', id).execute()
}

export async function deleteUserRow(transaction: Kysely<Tables>, id: string): Promise<void> {
  await transaction.deleteFrom('users').where('id', '=', id).execute()
}
