import type { Expression, ExpressionBuilder, Insertable, Kysely, Selectable, SqlBool } from 'kysely'
import { compileOnce } from '../../platform/database/compile-once.ts'
import type { SessionRow, Tables, UserRow } from '../../platform/database/tables.ts'

const selectLiveSession = compileOnce((database, { tokenHash, now }: { tokenHash: string; now: number }) =>
  database
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.userId')
    .selectAll('sessions')
    .select(['name', 'email', 'emailVerified', 'image', 'role', 'banned', 'banReason', 'banExpires'])
    .select(['users.createdAt as userCreatedAt', 'users.updatedAt as userUpdatedAt'])
    .select('users.properties as userProperties')
    .where('sessions.tokenHash', '=', tokenHash)
    .where('sessions.expiresAt', '>', now),
)

/** The session with this token and its user, in one look-up by the unique index; undefined when it has expired. */
export async function findLiveSession(
  database: Kysely<Tables>,
  tokenHash: string,
  now: number,
): Promise<{ session: SessionRow; user: UserRow } | undefined> {
  const [row] = await selectLiveSession(database, { tokenHash, now })
  if (!row) return undefined
  const { name, email, emailVerified, image, role, banned, banReason, banExpires, ...rest } = row
  const { userCreatedAt: createdAt, userUpdatedAt: updatedAt, userProperties: properties, ...session } = rest
  const others = { createdAt, updatedAt, properties }
  return {
    session,
    user: { id: session.userId, name, email, emailVerified, image, role, banned, banReason, banExpires, ...others },
  }
}

export const insertSession = compileOnce((database, session: Insertable<Tables['sessions']>) =>
  database.insertInto('sessions').values(session),
)

/** Does nothing to a session that was ended concurrently: an extension never brings one back. */
export async function extendSession(
  database: Kysely<Tables>,
  id: string,
  now: number,
  expiresAt: number,
): Promise<void> {
  await database.updateTable('sessions').set({ updatedAt: now, expiresAt }).where('id', '=', id).execute()
}

export function findSessionOfToken(database: Kysely<Tables>, tokenHash: string): Promise<SessionRow | undefined> {
  return database.selectFrom('sessions').selectAll().where('tokenHash', '=', tokenHash).executeTakeFirst()
}

/** A user's sessions, newest first. @param options.impersonated whether those of staff who act as them are among them */
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

/** Which sessions, as a condition. */
export type Which = (where: ExpressionBuilder<Tables, 'sessions'>) => Expression<SqlBool>

/**
 * Sessions, which are locked, and those in which staff act from one of them: these first, or they would go by cascade and
 * nobody would be told.
 * @returns all that are gone
 */
export async function deleteSessions(
  transaction: Kysely<Tables>,
  which: Which,
): Promise<Selectable<Tables['sessions']>[]> {
  const startedFrom = transaction.selectFrom('sessions').select('id').where(which)
  const acting = await transaction
    .deleteFrom('sessions')
    .where('impersonatorSessionId', 'in', startedFrom)
    .returningAll()
    .execute()
  const chosen = await transaction.deleteFrom('sessions').where(which).returningAll().execute()
  return [...acting, ...chosen]
}

/** Some of the sessions whose time is over; of several processes each takes others. @returns how many */
export async function deleteExpiredSessions(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('sessions')
    .where('id', 'in', (sessions) =>
      sessions.selectFrom('sessions').select('id').where('expiresAt', '<=', now).limit(limit).forUpdate().skipLocked(),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Compare-and-set: of two requests with one token, one replaces it. */
export function replaceToken(
  database: Kysely<Tables>,
  id: string,
  { oldHash, newHash }: { oldHash: string; newHash: string },
  now: number,
): Promise<SessionRow | undefined> {
  return database
    .updateTable('sessions')
    .set({ tokenHash: newHash, authenticatedAt: now })
    .where('id', '=', id)
    .where('tokenHash', '=', oldHash)
    .returningAll()
    .executeTakeFirst()
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

/** @param name the session's handle, which is its id, or the hash of its credential */
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

/** At once; the next start of a session takes more. */
const BEYOND_MAXIMUM = 1_000

/** A user's sessions but the newest and so many after it, by their ids. */
export async function listSessionsBeyond(
  database: Kysely<Tables>,
  { userId, newestId }: { userId: string; newestId: string },
  count: number,
): Promise<string[]> {
  const rows = await database
    .selectFrom('sessions')
    .select('id')
    .where('userId', '=', userId)
    .where('id', '!=', newestId)
    .where('impersonatedBy', 'is', null)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(BEYOND_MAXIMUM)
    .offset(count)
    .execute()
  return rows.map(({ id }) => id)
}
