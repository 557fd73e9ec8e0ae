import type { Kysely } from 'kysely'
import type { SessionRow, Tables, UserRow } from '../database/tables.ts'

const SESSION_COLUMNS = [
  'sessions.id as sessionId',
  'sessions.userId',
  'sessions.tokenHash',
  'sessions.createdAt as sessionCreatedAt',
  'sessions.updatedAt as sessionUpdatedAt',
  'sessions.expiresAt',
  'sessions.authenticatedAt',
  'sessions.rememberMe',
  'sessions.ipAddress',
  'sessions.userAgent',
  'sessions.activeOrganizationId',
  'sessions.impersonatedBy',
] as const

/** The session with this token and its user, in one look-up by the unique index; undefined when it has expired. */
export async function findLiveSession(
  database: Kysely<Tables>,
  tokenHash: string,
  now: number,
): Promise<{ session: SessionRow; user: UserRow } | undefined> {
  const row = await database
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.userId')
    .selectAll('users')
    .select(SESSION_COLUMNS)
    .where('sessions.tokenHash', '=', tokenHash)
    .where('sessions.expiresAt', '>', now)
    .executeTakeFirst()
  if (!row) return undefined
  const { sessionId, sessionCreatedAt, sessionUpdatedAt, userId, tokenHash: hash, ...rest } = row
  const {
    expiresAt,
    authenticatedAt,
    rememberMe,
    ipAddress,
    userAgent,
    activeOrganizationId,
    impersonatedBy,
    ...user
  } = rest
  const times = { createdAt: sessionCreatedAt, updatedAt: sessionUpdatedAt, expiresAt, authenticatedAt }
  const client = { ipAddress, userAgent, activeOrganizationId, impersonatedBy }
  return { session: { id: sessionId, userId, tokenHash: hash, rememberMe, ...times, ...client }, user }
}

export async function insertSession(database: Kysely<Tables>, session: SessionRow): Promise<void> {
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

export async function deleteSessionsOfUser(database: Kysely<Tables>, userId: string): Promise<void> {
  await database.deleteFrom('sessions').where('userId', '=', userId).execute()
}
