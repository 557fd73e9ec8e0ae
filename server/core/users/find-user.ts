import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'

export function findUserByEmail(database: Kysely<Tables>, email: string): Promise<UserRow | undefined> {
  return database.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
}

export async function listUsersById(
  database: Kysely<Tables>,
  ids: string[],
): Promise<Pick<UserRow, 'id' | 'name' | 'email' | 'role'>[]> {
  if (ids.length === 0) return []
  return database.selectFrom('users').select(['id', 'name', 'email', 'role']).where('id', 'in', ids).execute()
}

export async function listUsersByEmail(
  database: Kysely<Tables>,
  emails: string[],
): Promise<Pick<UserRow, 'id' | 'email'>[]> {
  if (emails.length === 0) return []
  return database.selectFrom('users').select(['id', 'email']).where('email', 'in', emails).execute()
}

export function findUser(database: Kysely<Tables>, id: string): Promise<UserRow | undefined> {
  return database.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

/** @throws ApiError USER_NOT_FOUND */
export async function getUser(database: Kysely<Tables>, id: string, field = 'userId'): Promise<UserRow> {
  const user = await findUser(database, id)
  if (!user) throw new ApiError('USER_NOT_FOUND', { field })
  return user
}
