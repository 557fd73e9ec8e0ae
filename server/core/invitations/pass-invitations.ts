import type { Kysely } from 'kysely'
import type { MemberRow, Tables } from '../../platform/database/tables.ts'
import { mayStillInvite } from './get-usable-invitation.ts'
import { findOtherOwner, listPendingInvitationsBy, updateInviter } from './inviter-store.ts'

/**
 * Passes the pending invitations of a leaving member to an owner, in a transaction that has locked the organization. Those
 * that the member's role no longer allows are not passed, because a new inviter would make them usable again.
 * @returns the number of passed invitations
 */
export async function passInvitations(transaction: Kysely<Tables>, member: MemberRow): Promise<number> {
  const sent = await listPendingInvitationsBy(transaction, member)
  const ids = sent.filter(({ role }) => mayStillInvite(member.role, role)).map(({ id }) => id)
  const owner = ids.length > 0 && (await findOtherOwner(transaction, member))
  if (!owner) return 0
  await updateInviter(transaction, ids, owner.userId)
  return ids.length
}
