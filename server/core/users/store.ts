import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../../platform/database/tables.ts'

/** The unique index decides who is first: undefined when the address is taken. */
export function insertUser(database: Kysely<Tables>, user: UserRow): Promise<UserRow | undefined> {
  return database
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst()
}
