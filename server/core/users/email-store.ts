import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../../platform/database/tables.ts'

/** Sets an address that was proved. @throws the engine's unique violation when another user has it */
export async function saveEmail(
  database: Kysely<Tables>,
  userId: string,
  email: string,
  now: number,
): Promise<UserRow> {
  return database
    .updateTable('users')
    .set({ email, emailVerified: 1, updatedAt: now })
    .where('id', '=', userId)
    .returningAll()
    .executeTakeFirstOrThrow()
}
