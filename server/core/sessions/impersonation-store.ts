import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../../platform/database/tables.ts'

export async function findEncryptedImpersonatorToken(
  database: Kysely<Tables>,
  sessionId: string,
): Promise<string | undefined> {
  const sessions = database.selectFrom('sessions').select('encryptedImpersonatorToken').where('id', '=', sessionId)
  return (await sessions.executeTakeFirst())?.encryptedImpersonatorToken ?? undefined
}

export function findImpersonator(
  database: Kysely<Tables>,
  sessionId: string,
  now: number,
): Promise<Pick<UserRow, 'role' | 'emailVerified' | 'banned' | 'banExpires'> | undefined> {
  return database
    .selectFrom('sessions')
    .innerJoin('sessions as own', 'own.id', 'sessions.impersonatorSessionId')
    .innerJoin('users', 'users.id', 'own.userId')
    .select(['users.role', 'users.emailVerified', 'users.banned', 'users.banExpires'])
    .where('sessions.id', '=', sessionId)
    .where('own.expiresAt', '>', now)
    .executeTakeFirst()
}
