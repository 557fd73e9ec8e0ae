import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'
import { discardInvitationEmails } from '../../platform/mail/outbox.ts'
import { deleteSomeInvitations } from './store.ts'

/** Discards their waiting emails too, because the deletion of the organization may stop later. */
export async function deleteInvitations(
  transaction: Kysely<Tables>,
  now: number,
  organizationId: string,
  { limit, onlyEnded = false }: { limit: number; onlyEnded?: boolean },
): Promise<number> {
  const ids = await deleteSomeInvitations(transaction, organizationId, limit, onlyEnded ? now : undefined)
  await discardInvitationEmails(transaction, now, ids)
  return ids.length
}
