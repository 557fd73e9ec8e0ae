import type { Expression, ExpressionBuilder, Insertable, Kysely, Selectable, SqlBool } from 'kysely'
import { hashToken } from '../../platform/crypto/tokens.ts'
import { compileOnce, RESULT_UNUSED } from '../../platform/database/compile-once.ts'
import { deleteSome } from '../../platform/database/delete-some.ts'
import type { SessionRow, Tables } from '../../platform/database/tables.ts'

export const insertSession = compileOnce(
  (database, session: Insertable<Tables['sessions']>) => database.insertInto('sessions').values(session),
  RESULT_UNUSED,
)

type SessionChange = Pick<SessionRow, 'updatedAt' | 'expiresAt' | 'properties' | 'activeOrganizationId'>

/** The transaction has verified the membership in the active organization. @returns false for a revoked session */
export async function updateSessionRow(
  database: Kysely<Tables>,
  id: string,
  change: Partial<SessionChange>,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('sessions')
    .set(change)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/**
 * A use must not restore a session that was revoked concurrently, so this is no upsert. Compare-and-set: a use must not
 * extend a session that a concurrent sign-in has shortened.
 * @returns false when the session was revoked, extended or shortened since it was found
 */
export async function updateSessionUse(
  database: Kysely<Tables>,
  { id, updatedAt }: Pick<SessionRow, 'id' | 'updatedAt'>,
  change: Partial<Pick<SessionRow, 'updatedAt' | 'expiresAt' | 'lastUsedAt'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('sessions')
    .set(change)
    .where('id', '=', id)
    .where('updatedAt', '=', updatedAt)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

export function findSessionOfToken(database: Kysely<Tables>, tokenHash: string): Promise<SessionRow | undefined> {
  return database.selectFrom('sessions').selectAll().where('tokenHash', '=', tokenHash).executeTakeFirst()
}

export function listLiveSessions(
  database: Kysely<Tables>,
  userId: string,
  now: number,
  { impersonated }: { impersonated: boolean },
): Promise<SessionRow[]> {
  return database
    .selectFrom('sessions')
    .selectAll()
    .where('userId', '=', userId)
    .$if(!impersonated, (query) => query.where('impersonatedBy', 'is', null))
    .where('expiresAt', '>', now)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

export async function listSessionUserIds(
  database: Kysely<Tables>,
  ids: string[],
): Promise<Pick<SessionRow, 'id' | 'userId'>[]> {
  if (ids.length === 0) return []
  return database.selectFrom('sessions').select(['id', 'userId']).where('id', 'in', ids).execute()
}

export type SessionCondition = (where: ExpressionBuilder<Tables, 'sessions'>) => Expression<SqlBool>

/** Deletes locked sessions, and first those in which staff impersonate from them: a cascade would not return them. */
export async function deleteSessions(
  transaction: Kysely<Tables>,
  which: SessionCondition,
): Promise<Selectable<Tables['sessions']>[]> {
  const impersonatorSessionIds = transaction.selectFrom('sessions').select('id').where(which)
  const impersonated = await transaction
    .deleteFrom('sessions')
    .where('impersonatorSessionId', 'in', impersonatorSessionIds)
    .returningAll()
    .execute()
  const selected = await transaction.deleteFrom('sessions').where(which).returningAll().execute()
  return [...impersonated, ...selected]
}

export function deleteExpiredSessions(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const sessions = database.selectFrom('sessions').select('id').where('expiresAt', '<=', now)
  return deleteSome(database, 'sessions', 'id', sessions, limit)
}

/** Compare-and-set: one of two concurrent requests replaces the token. */
export function replaceToken(
  database: Kysely<Tables>,
  id: string,
  { oldHash, newHash }: { oldHash: string; newHash: string },
  use: Pick<SessionRow, 'authenticatedAt' | 'authenticationMethods'>,
): Promise<SessionRow | undefined> {
  return database
    .updateTable('sessions')
    .set({ tokenHash: newHash, ...use })
    .where('id', '=', id)
    .where('tokenHash', '=', oldHash)
    .returningAll()
    .executeTakeFirst()
}

export function lockSessionForUpdate(transaction: Kysely<Tables>, id: string): Promise<SessionRow | undefined> {
  return transaction.selectFrom('sessions').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** The session of any user: the calling function authorizes. @param name the handle (id), or the session token */
export function findSessionToRevoke(database: Kysely<Tables>, name: string): Promise<SessionRow | undefined> {
  return database
    .selectFrom('sessions')
    .selectAll()
    .where((where) => where.or([where('id', '=', name), where('tokenHash', '=', hashToken(name))]))
    .executeTakeFirst()
}

/** For one start of a session; the next start revokes more. */
const REVOKED_PER_START_MAXIMUM = 1_000

/** The ids of a user's sessions, without the newest one and the `remainingCount` sessions before it. */
export async function listSessionsBeyond(
  database: Kysely<Tables>,
  { userId, newestId }: { userId: string; newestId: string },
  remainingCount: number,
): Promise<string[]> {
  const rows = await database
    .selectFrom('sessions')
    .select('id')
    .where('userId', '=', userId)
    .where('id', '!=', newestId)
    .where('impersonatedBy', 'is', null)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(REVOKED_PER_START_MAXIMUM)
    .offset(remainingCount)
    .execute()
  return rows.map(({ id }) => id)
}

/** Restore. Foreign keys delete impersonated sessions, sessions at clients, and tokens of the sessions. */
export async function deleteAllSessions(transaction: Kysely<Tables>): Promise<number> {
  const { numDeletedRows } = await transaction.deleteFrom('sessions').executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

export async function listSessionIdsOfSecond(
  database: Kysely<Tables>,
  userId: string,
  epochSecond: number,
): Promise<string[]> {
  const rows = await database
    .selectFrom('sessions')
    .select('id')
    .where('userId', '=', userId)
    .where('createdAt', '>=', epochSecond * 1000)
    .where('createdAt', '<', (epochSecond + 1) * 1000)
    .execute()
  return rows.map(({ id }) => id)
}
