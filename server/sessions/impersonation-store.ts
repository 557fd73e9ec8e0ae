import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../database/tables.ts'

/** The member of staff who acts in an impersonated session, if the session that they started it from is still live. */
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

/** @returns the sealed credential of the staff's own session; undefined when there is no such session */
export async function deleteImpersonation(database: Kysely<Tables>, id: string): Promise<string | undefined> {
  const ended = await database
    .deleteFrom('sessions')
    .where('id', '=', id)
    .returning('sealedImpersonatorToken')
    .executeTakeFirst()
  return ended?.sealedImpersonatorToken ?? undefined
}

export async function deleteImpersonationsOf(database: Kysely<Tables>, userId: string): Promise<void> {
  await database
    .deleteFrom('sessions')
    .where('impersonatedBy', 'is not', null)
    .where((where) => where.or([where('impersonatedBy', '=', userId), where('userId', '=', userId)]))
    .execute()
}
