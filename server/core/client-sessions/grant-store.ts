import type { Insertable, Kysely, Selectable } from 'kysely'
import { compileOnce, UNREAD } from '../../platform/database/compile-once.ts'
import type { OAuthGrantRow, Tables } from '../../platform/database/tables.ts'

export async function insertGrant(
  transaction: Kysely<Tables>,
  grant: Insertable<Tables['oauthGrants']>,
): Promise<void> {
  await transaction.insertInto('oauthGrants').values(grant).execute()
}

/** Deletes some of the oldest grants of a session. @param kept number of the newest ones, which stay */
export const deleteOldestGrants = compileOnce(
  (database, { sessionId, kept }: { sessionId: string; kept: number }) =>
    database
      .deleteFrom('oauthGrants')
      .where('id', 'in', (grants) =>
        grants
          .selectFrom('oauthGrants')
          .innerJoin('clientSessions', 'clientSessions.sid', 'oauthGrants.sid')
          .select('oauthGrants.id')
          .where('clientSessions.sessionId', '=', sessionId)
          .orderBy('oauthGrants.createdAt', 'desc')
          .limit(kept)
          .offset(kept),
      ),
  UNREAD,
)

/** For an insert that refers to the grant. @returns false when it was deleted */
export async function lockGrantForShare(transaction: Kysely<Tables>, id: string): Promise<boolean> {
  const found = transaction.selectFrom('oauthGrants').select('id').where('id', '=', id).forKeyShare()
  return (await found.executeTakeFirst()) !== undefined
}

/** Deletes the codes and tokens of the grant too. @returns undefined when it was deleted before */
export async function deleteGrant(database: Kysely<Tables>, id: string): Promise<OAuthGrantRow | undefined> {
  return database.deleteFrom('oauthGrants').where('id', '=', id).returningAll().executeTakeFirst()
}

const selectGrant = compileOnce((database, { id, now }: { id: string; now: number }) =>
  database
    .selectFrom('oauthGrants')
    .innerJoin('clientSessions', 'clientSessions.sid', 'oauthGrants.sid')
    .innerJoin('sessions', 'sessions.id', 'clientSessions.sessionId')
    .innerJoin('oauthClients', 'oauthClients.id', 'oauthGrants.clientId')
    .selectAll('oauthGrants')
    .select(['sessions.tokenHash', 'oauthClients.metadata as clientMetadata'])
    .where('oauthGrants.id', '=', id)
    .where('oauthGrants.expiresAt', '>', now)
    .where('oauthClients.disabled', '=', 0),
)

/** A grant with the hash of the token of its session, and the metadata of its client. */
export async function findGrant(
  database: Kysely<Tables>,
  id: string,
  now: number,
): Promise<(Selectable<Tables['oauthGrants']> & { tokenHash: string; clientMetadata: string }) | undefined> {
  const [grant] = await selectGrant(database, { id, now })
  return grant
}

/** @returns true also when one was deleted, or its client was disabled */
export async function hasEndedGrant(database: Kysely<Tables>, ids: string[], now: number): Promise<boolean> {
  const alive = await database
    .selectFrom('oauthGrants')
    .innerJoin('oauthClients', 'oauthClients.id', 'oauthGrants.clientId')
    .select('oauthGrants.id')
    .where('oauthGrants.id', 'in', ids)
    .where('oauthGrants.expiresAt', '>', now)
    .where('oauthClients.disabled', '=', 0)
    .execute()
  return alive.length < new Set(ids).size
}

/** @returns the number of deleted grants */
export async function deleteExpiredGrants(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('oauthGrants')
    .where('id', 'in', (grants) =>
      grants.selectFrom('oauthGrants').select('id').where('expiresAt', '<=', now).limit(limit).forUpdate().skipLocked(),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
