import type { Insertable, Kysely } from 'kysely'
import type { SessionRow, Tables, UserRow } from '../database/tables.ts'

/** The session with this token and its user, in one look-up by the unique index; undefined when it has expired. */
export async function findLiveSession(
  database: Kysely<Tables>,
  tokenHash: string,
  now: number,
): Promise<{ session: SessionRow; user: UserRow } | undefined> {
  const row = await database
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.userId')
    .selectAll('sessions')
    .select(['name', 'email', 'emailVerified', 'image', 'role', 'banned', 'banReason', 'banExpires'])
    .select(['users.createdAt as userCreatedAt', 'users.updatedAt as userUpdatedAt'])
    .where('sessions.tokenHash', '=', tokenHash)
    .where('sessions.expiresAt', '>', now)
    .executeTakeFirst()
  if (!row) return undefined
  const { name, email, emailVerified, image, role, banned, banReason, banExpires, ...rest } = row
  const { userCreatedAt: createdAt, userUpdatedAt: updatedAt, ...session } = rest
  const times = { createdAt, updatedAt }
  return {
    session,
    user: { id: session.userId, name, email, emailVerified, image, role, banned, banReason, banExpires, ...times },
  }
}

export async function insertSession(database: Kysely<Tables>, session: Insertable<Tables['sessions']>): Promise<void> {
  await database.insertInto('sessions').values(session).execute()
}

/** Does nothing to a session that was ended meanwhile: an extension never brings one back. */
export async function extendSession(
  database: Kysely<Tables>,
  id: string,
  now: number,
  expiresAt: number,
): Promise<void> {
  await database.updateTable('sessions').set({ updatedAt: now, expiresAt }).where('id', '=', id).execute()
}

export function deleteSessionOfToken(database: Kysely<Tables>, tokenHash: string): Promise<SessionRow | undefined> {
  return database.deleteFrom('sessions').where('tokenHash', '=', tokenHash).returningAll().executeTakeFirst()
}

/** The sessions that a user sees as theirs, newest first; those of staff who act as them are listed elsewhere. */
export function listLiveSessions(database: Kysely<Tables>, userId: string, now: number): Promise<SessionRow[]> {
  return database
    .selectFrom('sessions')
    .selectAll()
    .where('userId', '=', userId)
    .where('impersonatedBy', 'is', null)
    .where('expiresAt', '>', now)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** @param name the session's handle, which is its id, or the hash of its credential */
export function deleteNamedSession(
  database: Kysely<Tables>,
  userId: string,
  name: { id: string; tokenHash: string },
): Promise<SessionRow | undefined> {
  return database
    .deleteFrom('sessions')
    .where('userId', '=', userId)
    .where((where) => where.or([where('id', '=', name.id), where('tokenHash', '=', name.tokenHash)]))
    .returningAll()
    .executeTakeFirst()
}

/** @returns how many were ended */
export async function deleteOtherSessions(
  database: Kysely<Tables>,
  userId: string,
  keptId: string | null,
): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('sessions')
    .where('userId', '=', userId)
    .$if(keptId !== null, (query) => query.where('id', '!=', keptId ?? ''))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

export async function saveAuthenticatedAt(database: Kysely<Tables>, id: string, now: number): Promise<void> {
  await database.updateTable('sessions').set({ authenticatedAt: now }).where('id', '=', id).execute()
}

export function lockSession(transaction: Kysely<Tables>, id: string): Promise<SessionRow | undefined> {
  return transaction.selectFrom('sessions').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export async function saveSessionProperties(
  database: Kysely<Tables>,
  id: string,
  change: { properties: string; activeOrganizationId: string | null },
): Promise<void> {
  await database.updateTable('sessions').set(change).where('id', '=', id).execute()
}

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

/** Those of staff who act as the user included. */
export function listAllLiveSessions(database: Kysely<Tables>, userId: string, now: number): Promise<SessionRow[]> {
  return database
    .selectFrom('sessions')
    .selectAll()
    .where('userId', '=', userId)
    .where('expiresAt', '>', now)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** @param name as for `deleteNamedSession` */
export function findNamedSession(
  database: Kysely<Tables>,
  name: { id: string; tokenHash: string },
): Promise<SessionRow | undefined> {
  return database
    .selectFrom('sessions')
    .selectAll()
    .where((where) => where.or([where('id', '=', name.id), where('tokenHash', '=', name.tokenHash)]))
    .executeTakeFirst()
}
