import type { Kysely } from 'kysely'
import type { SessionRow, Tables } from '../../platform/database/tables.ts'
import { SHORT_GRANT_MILLISECONDS } from './row-limits.ts'

/**
 * A grant keeps the methods and the time of its own sign-in. A grant of an earlier version may have none, and gets them
 * here.
 * @param latestEnd epoch milliseconds
 */
export async function moveClientSessions(
  transaction: Kysely<Tables>,
  former: SessionRow,
  { id, latestEnd }: { id: string; latestEnd: number },
): Promise<void> {
  // Locks the sessions at clients before their grants, as a sign-out does: the other order could deadlock.
  await transaction
    .updateTable('clientSessions')
    .set((session) => ({
      sessionId: id,
      firstSessionId: session.fn.coalesce('firstSessionId', session.val(former.id)),
    }))
    .where('sessionId', '=', former.id)
    .execute()
  await transaction
    .updateTable('oauthGrants')
    .set((grant) => ({
      authenticationMethods: grant.fn.coalesce('authenticationMethods', grant.val(former.authenticationMethods)),
      signedInAt: grant.fn.coalesce('signedInAt', grant.val(former.createdAt)),
      // A removal of the user from an organization finds the session by its grants, so they last as long as the
      // session. Their tokens end by `signedInAt`. Grants of exchanges end with their token.
      expiresAt: grant
        .case()
        .when('expiresAt', '>', grant('createdAt', '+', SHORT_GRANT_MILLISECONDS))
        .then(latestEnd)
        .else(grant.ref('expiresAt'))
        .end(),
    }))
    .where('sid', 'in', ({ selectFrom }) => selectFrom('clientSessions').select('sid').where('sessionId', '=', id))
    .execute()
}

/** An intruder may have opened these sessions with a copy of a former session. A trigger enqueues the log-outs. */
export async function deleteMovedClientSessions(transaction: Kysely<Tables>, sessionId: string): Promise<void> {
  await transaction
    .deleteFrom('clientSessions')
    .where('sessionId', '=', sessionId)
    .where((session) => {
      // Compares two clocks, which may differ. Only for a row of an earlier release.
      const startOfSession = session.selectFrom('sessions').select('createdAt').where('id', '=', sessionId)
      return session.or([
        session('firstSessionId', '!=', sessionId),
        session.and([session('firstSessionId', 'is', null), session('createdAt', '<', startOfSession)]),
      ])
    })
    .execute()
}
