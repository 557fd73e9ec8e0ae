import type { Insertable, Kysely } from 'kysely'
import type { ClientSessionRow, Tables } from '../../platform/database/tables.ts'
import { withoutIndex } from '../../platform/database/without-index.ts'

export function listClientSessions(
  database: Kysely<Tables>,
  sessionId: string,
): Promise<Pick<ClientSessionRow, 'sid' | 'clientId'>[]> {
  return database
    .selectFrom('clientSessions')
    .select(['sid', 'clientId'])
    .where('sessionId', '=', sessionId)
    .orderBy('createdAt')
    .execute()
}

/** Locks a session at a client for a sign-in, so that a concurrent log-out can't end the `sid` that it uses again. */
export async function lockClientSessionForUpdate(
  transaction: Kysely<Tables>,
  { sessionId, clientId }: Pick<ClientSessionRow, 'sessionId' | 'clientId'>,
): Promise<Pick<ClientSessionRow, 'sid'> | undefined> {
  return transaction
    .selectFrom('clientSessions')
    .select('sid')
    .where('sessionId', '=', sessionId)
    .where(withoutIndex(transaction, 'clientId'), '=', clientId)
    .orderBy('createdAt')
    .forUpdate()
    .executeTakeFirst()
}

export async function insertClientSession(
  transaction: Kysely<Tables>,
  session: Insertable<Tables['clientSessions']>,
): Promise<void> {
  await transaction
    .insertInto('clientSessions')
    .values(session)
    .onConflict((conflict) => conflict.column('sid').doUpdateSet({ lastUsedAt: session.lastUsedAt }))
    .execute()
}

export async function updateClientSessionUse(database: Kysely<Tables>, sid: string, lastUsedAt: number): Promise<void> {
  await database.updateTable('clientSessions').set({ lastUsedAt }).where('sid', '=', sid).execute()
}

type Deleted = Pick<ClientSessionRow, 'clientId'> &
  ({ userId: string; sessionId?: never } | { sessionId: string; userId?: never })

/** A trigger enqueues the log-outs. @returns false without such a session */
export async function deleteClientSessions(
  transaction: Kysely<Tables>,
  { clientId, userId, sessionId }: Deleted,
): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('clientSessions')
    .where(withoutIndex(transaction, 'clientId'), '=', clientId)
    .$if(userId !== undefined, (query) => query.where('userId', '=', userId ?? ''))
    .$if(sessionId !== undefined, (query) => query.where('sessionId', '=', sessionId ?? ''))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** In the order of the index. `hasMoreThan` explains `between`. */
export function selectSessionsAtClient(database: Kysely<Tables>, clientId: string) {
  return database
    .selectFrom('clientSessions')
    .select(['sid', 'sessionId'])
    .where(({ between }) => between('clientId', clientId, clientId))
    .orderBy('clientId')
}

/**
 * A trigger enqueues the log-outs. Locks the sessions first, because a sign-out does so. Skips locked sessions, because
 * a wait would hold up the users of the others.
 */
export async function deleteSomeOfDisabledClient(
  database: Kysely<Tables>,
  clientId: string,
  limit: number,
): Promise<number> {
  const deleted = selectSessionsAtClient(database, clientId)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('oauthClients').select('id').where('id', '=', clientId).where('disabled', '=', 1)),
    )
    .limit(limit)
    .as('deleted')
  const { numDeletedRows } = await database
    // `deleteSome` explains the separate query.
    .with('locked', (query) =>
      query
        .selectFrom(deleted)
        .innerJoin('sessions', 'sessions.id', 'deleted.sessionId')
        .select('deleted.sid')
        .forUpdate('sessions')
        .skipLocked(),
    )
    .deleteFrom('clientSessions')
    .where('sid', 'in', (locked) => locked.selectFrom('locked').select('locked.sid'))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** The order makes PostgreSQL use the index for each client. `hasMoreThan` explains `between`. */
export async function listDisabledClientsWithSessions(database: Kysely<Tables>): Promise<string[]> {
  const clients = await database
    .selectFrom('oauthClients')
    .select('id')
    .where('disabled', '=', 1)
    .where(
      ({ selectFrom, ref }) =>
        selectFrom('clientSessions')
          .select('sid')
          .where(({ between }) => between('clientId', ref('oauthClients.id'), ref('oauthClients.id')))
          .orderBy('clientId')
          .limit(1),
      'is not',
      null,
    )
    .execute()
  return clients.map(({ id }) => id)
}

/** For sessions that a crash left. A batch covers several clients, so that locked sessions hold up no other client. */
export async function deleteSessionsLeftAtDisabledClients(
  database: Kysely<Tables>,
  _now: number,
  limit: number,
): Promise<number> {
  let count = 0
  for (const clientId of await listDisabledClientsWithSessions(database)) {
    count += await deleteSomeOfDisabledClient(database, clientId, limit - count)
    if (count >= limit) break
  }
  return count
}

/** Restore. A trigger enqueues the log-outs, and foreign keys delete the grants with their codes and tokens. */
export async function deleteAllClientSessions(transaction: Kysely<Tables>): Promise<number> {
  const { numDeletedRows } = await transaction.deleteFrom('clientSessions').executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
