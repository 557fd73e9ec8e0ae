import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'
import { discardInvitationEmails } from '../../platform/mail/outbox.ts'
import { deleteSomeInvitations } from './store.ts'

/**
 * Deletes some invitations of an organization, for a deletion in batches. Gives up their waiting emails too, because the
 * deletion may stop later.
 * @param onlyEnded leaves the open invitations
 * @returns the number of deleted invitations
 */
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
