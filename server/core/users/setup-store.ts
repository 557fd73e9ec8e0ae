import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'

export async function adminExists(database: Kysely<Tables>): Promise<boolean> {
  const admin = await database.selectFrom('users').select('id').where('role', '=', 'admin').limit(1).executeTakeFirst()
  return admin !== undefined
}

/** Gives an existing user the administrator's role; the operator vouches for the address. */
export async function promoteToAdmin(transaction: Kysely<Tables>, userId: string, now: number): Promise<void> {
  await transaction
    .updateTable('users')
    .set({ role: 'admin', emailVerified: 1, banned: 0, banReason: null, banExpires: null, updatedAt: now })
    .where('id', '=', userId)
    .execute()
}
