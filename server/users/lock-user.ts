import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../database/tables.ts'

/** The user's row, which nobody else changes or deletes before the transaction ends. */
export function lockUser(transaction: Kysely<Tables>, id: string): Promise<UserRow | undefined> {
  return transaction.selectFrom('users').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}
