import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../../platform/database/tables.ts'
import { findTokenUserId } from '../single-use-tokens/single-use-tokens.ts'

/** For what changes a user, or more than one thing of theirs: until the transaction ends nobody else does, or adds to it. */
export function lockUserForUpdate(transaction: Kysely<Tables>, id: string): Promise<UserRow | undefined> {
  return transaction.selectFrom('users').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/**
 * For what adds something of a user's: until the transaction ends they are not deleted or banned, and keep their
 * address and password; but others may add too.
 */
export function lockUserForShare(transaction: Kysely<Tables>, id: string): Promise<UserRow | undefined> {
  return transaction.selectFrom('users').selectAll().where('id', '=', id).forKeyShare().executeTakeFirst()
}

/** The same, by the address that they have now. */
export function lockUserByEmailForShare(transaction: Kysely<Tables>, email: string): Promise<UserRow | undefined> {
  return transaction.selectFrom('users').selectAll().where('email', '=', email).forKeyShare().executeTakeFirst()
}

/**
 * For the start of a session: starts of one user wait for each other, so that each counts those before it. A reference to
 * the user may still be added.
 */
export function lockUserByEmailForNoKeyUpdate(
  transaction: Kysely<Tables>,
  email: string,
): Promise<UserRow | undefined> {
  return transaction.selectFrom('users').selectAll().where('email', '=', email).forNoKeyUpdate().executeTakeFirst()
}

/**
 * For a change that relies on several users: until the transaction ends, none of them is deleted or banned. They are
 * locked in the order of their ids, as everywhere.
 */
export function lockUsersForShare(transaction: Kysely<Tables>, ids: string[]): Promise<UserRow[]> {
  return transaction.selectFrom('users').selectAll().where('id', 'in', ids).orderBy('id').forKeyShare().execute()
}

/** For a link that changes its user: they are locked before it is used up. @returns undefined when there is no such link */
export async function lockTokenUserForUpdate(transaction: Kysely<Tables>, token: string): Promise<UserRow | undefined> {
  const id = await findTokenUserId(transaction, token)
  return id === undefined ? undefined : lockUserForUpdate(transaction, id)
}
