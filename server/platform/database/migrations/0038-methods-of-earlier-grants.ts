import { sql } from 'kysely'
import type { OnlineSteps } from '../online-steps.ts'

export const kind = 'expand'

/**
 * A step-up after the upgrade must not raise earlier grants. Those that a process of an earlier release inserts later have
 * no methods, and follow their session.
 */
export async function online({ backfill }: OnlineSteps): Promise<void> {
  await backfill({
    table: 'oauthGrants',
    key: 'id',
    pending: sql`"authenticationMethods" is null`,
    // A grant is deleted with its session at the client, and that with the session.
    set: sql`set "authenticationMethods" = (select sessions."authenticationMethods" from "clientSessions"
      join sessions on sessions.id = "clientSessions"."sessionId" where "clientSessions".sid = "oauthGrants".sid)`,
  })
}
