import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../../platform/database/tables.ts'

/** The impersonator of a session, if their own session has not expired. */
export function findImpersonator(
  database: Kysely<Tables>,
  sessionId: string,
  now: number,
): Promise<Pick<UserRow, 'role' | 'banned' | 'banExpires'> | undefined> {
  return database
    .selectFrom('sessions')
    .innerJoin('sessions as own', 'own.id', 'sessions.impersonatorSessionId')
    .innerJoin('users', 'users.id', 'own.userId')
    .select(['users.role', 'users.banned', 'users.banExpires'])
    .where('sessions.id', '=', sessionId)
    .where('own.expiresAt', '>', now)
    .executeTakeFirst()
}
