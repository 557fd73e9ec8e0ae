import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'
import { insertInvitationEvent } from './events-store.ts'

export type InvitationEvent = 'opened' | 'signed up' | 'accepted' | 'rejected' | 'canceled'

/** Puts on an invitation's timeline what has become of it, within the transaction of what happened. */
export async function recordInvitationEvent(
  database: Kysely<Tables>,
  now: number,
  invitationId: string,
  event: InvitationEvent,
): Promise<void> {
  await insertInvitationEvent(database, { invitationId, event, createdAt: now })
}
