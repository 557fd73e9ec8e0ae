import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import type { MemberRow } from '../database/tables.ts'
import type { Membership } from '../http/access.ts'
import { passInvitations } from '../invitations/pass-invitations.ts'
import { endMembership } from './end-membership.ts'
import { lockMembership } from './lock-membership.ts'

/**
 * The caller leaves; open invitations pass to an owner. Of owners who leave at once, the last one can't.
 * @throws ApiError ORGANIZATION_NOT_FOUND; YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER
 */
export function leaveOrganization(context: Context, actor: Actor, membership: Membership): Promise<MemberRow> {
  return context.database.transaction().execute(async (transaction) => {
    const { organization, member } = await lockMembership(transaction, membership, 'membership')
    await endMembership(transaction, member)
    const passedInvitations = await passInvitations(transaction, member)
    await recordEvent(transaction, context, actor, {
      action: 'member.left',
      subjectId: member.userId,
      organizationId: organization.id,
      details: { role: member.role, passedInvitations },
    })
    return member
  })
}
