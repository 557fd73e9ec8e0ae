import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../../platform/database/tables.ts'

/** For a change of the user, or of several rows that belong to the user. */
export function lockUserForUpdate(transaction: Kysely<Tables>, id: string): Promise<UserRow | undefined> {
  return transaction.selectFrom('users').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Until the transaction ends, the user is not deleted or banned, and email address and password do not change. */
export function lockUserForShare(transaction: Kysely<Tables>, id: string): Promise<UserRow | undefined> {
  return transaction.selectFrom('users').selectAll().where('id', '=', id).forKeyShare().executeTakeFirst()
}

/** After a wait, the database reads the row again, so a user who has lost the email address is not returned. */
export function lockUserByEmailForUpdate(transaction: Kysely<Tables>, email: string): Promise<UserRow | undefined> {
  return transaction.selectFrom('users').selectAll().where('email', '=', email).forUpdate().executeTakeFirst()
}

export function lockUserByEmailForShare(transaction: Kysely<Tables>, email: string): Promise<UserRow | undefined> {
  return transaction.selectFrom('users').selectAll().where('email', '=', email).forKeyShare().executeTakeFirst()
}

/** Locks the users in the order of their ids: one order prevents deadlocks. */
export function lockUsersForShare(transaction: Kysely<Tables>, ids: string[]): Promise<UserRow[]> {
  return transaction.selectFrom('users').selectAll().where('id', 'in', ids).orderBy('id').forKeyShare().execute()
}
