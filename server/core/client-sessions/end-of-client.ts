import type { Kysely } from 'kysely'
import type { ClientSessionRow, Tables } from '../../platform/database/tables.ts'

/** Ends what a user has at a client. A trigger enqueues the log-outs. @returns whether there was a session at the client */
export async function endClientSessionsOfClient(
  transaction: Kysely<Tables>,
  { userId, clientId }: Pick<ClientSessionRow, 'userId' | 'clientId'>,
): Promise<boolean> {
  const ended = await transaction
    .deleteFrom('clientSessions')
    .where('userId', '=', userId)
    .where('clientId', '=', clientId)
    .returning('sid')
    .execute()
  return ended.length > 0
}
