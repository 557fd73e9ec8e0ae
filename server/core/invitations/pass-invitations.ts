import type { Kysely } from 'kysely'
import type { MemberRow, Tables } from '../../platform/database/tables.ts'
import { mayStillInvite } from './get-usable-invitation.ts'
import { findOwnerExcept, findUnansweredInvitationsBy, saveInviter } from './inviter-store.ts'

/**
 * Passes the open invitations of a member who leaves to an owner, in a transaction that has locked the organization. An
 * invitation that the member could no longer send stays refused: leaving must not revive it.
 * @returns how many
 */
export async function passInvitations(transaction: Kysely<Tables>, member: MemberRow): Promise<number> {
  const sent = await findUnansweredInvitationsBy(transaction, member)
  const ids = sent.filter(({ role }) => mayStillInvite(member.role, role)).map(({ id }) => id)
  const owner = ids.length > 0 && (await findOwnerExcept(transaction, member))
  if (!owner) return 0
  await saveInviter(transaction, ids, owner.userId)
  return ids.length
}
