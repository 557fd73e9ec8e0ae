import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../../platform/database/tables.ts'

export function findUserByEmail(database: Kysely<Tables>, email: string): Promise<UserRow | undefined> {
  return database.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
}

export function findUser(database: Kysely<Tables>, id: string): Promise<UserRow | undefined> {
  return database.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}
