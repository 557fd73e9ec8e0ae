import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Caller } from '../../../core/access/caller.ts'
import { hasOrganizationPermission } from '../../../core/access/organization-permissions.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, prepareEmailFrom } from '../../../core/in-transaction.ts'
import { discardEmailsOfRefusedInvitations } from '../../../core/invitations/pass-invitations.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import { hasOtherOwner } from '../../../core/memberships/owner-store.ts'
import { setMemberRole } from '../../../core/memberships/set-member-role.ts'
import type { MemberRow, UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail, sendEmailUnlessLimited } from '../../../platform/mail/outbox.ts'
import { ownershipGivenEmail, ownershipReceivedEmail } from './emails.ts'
import { findMemberWithUser } from './store.ts'

const REASON = 'ownership transferred'

type Party = Pick<UserRow, 'name' | 'email'>

interface Parties {
  organizationName: string
  giver: Party
  receiver: Party
}

/**
 * The emails have a limit, so owners who repeat the transfer can't fill a mailbox.
 * @throws ApiError MEMBER_NOT_FOUND; YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER; VALIDATION_ERROR for the caller;
 *   YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER for a banned member; as `lockMembershipForUpdate`
 */
export async function transferOwnership(
  context: Context,
  actor: Actor,
  { user }: Caller,
  membership: AuthorizedMembership,
  memberId: string,
): Promise<MemberRow[]> {
  const { id: organizationId, name: organizationName } = membership.organization
  const expected = await findMemberWithUser(context.database, organizationId, memberId)
  if (!expected) throw memberNotFound()
  const giver = { name: user.name, email: user.email }
  const emailsFor = prepareEmails(context, actor, organizationId, {
    organizationName,
    giver,
    receiver: toParty(expected.user),
  })

  return inTransaction(context, actor, async (unit) => {
    const { organization, member: givingMember } = await lockMembershipForUpdate(unit.transaction, membership)
    const found = await findMemberWithUser(unit.transaction, organizationId, memberId)
    // The email address may have been changed since the request was authenticated.
    const own = await findMemberWithUser(unit.transaction, organizationId, givingMember.id)
    if (!found || !own) throw memberNotFound()
    const { user: receiver, ...receivingMember } = found
    if (!hasOrganizationPermission(givingMember.role, 'organization.transfer'))
      throw new ApiError('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER')
    if (receivingMember.id === givingMember.id) {
      throw new ApiError('VALIDATION_ERROR', { field: 'memberId', message: 'Name another member: you are this one.' })
    }
    const isOwner = receivingMember.role === 'owner'
    const newOwner = isOwner ? receivingMember : await setMemberRole(unit, receivingMember, 'owner', REASON)
    // A banned receiver does not count.
    if (!(await hasOtherOwner(unit.transaction, givingMember, context.now())))
      throw new ApiError('YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER', {
        message: "This member can't sign in now, and the organization has no other owner. Name another member.",
      })
    const members = [newOwner, await setMemberRole(unit, givingMember, 'admin', REASON)]
    await discardEmailsOfRefusedInvitations(unit.transaction, context.now(), [givingMember.userId], organizationId)
    const parties = { giver: toParty(own.user), receiver: toParty(receiver) }
    const { toReceiver, toGiver } = emailsFor({ organizationName: organization.name, ...parties })
    if (!isOwner) await sendEmailUnlessLimited(unit, toReceiver)
    await sendEmailUnlessLimited(unit, toGiver)
    return members
  })
}

function toParty({ name, email }: Party): Party {
  return { name, email }
}

function prepareEmails(context: Context, actor: Actor, organizationId: string, parties: Parties) {
  const circumstances = { at: context.now(), ...actor }
  return prepareEmailFrom(parties, ({ organizationName, giver, receiver }) => {
    const received = { recipient: receiver.email, organizationId, organizationName, otherName: giver.name }
    const given = { recipient: giver.email, organizationId, organizationName, otherName: receiver.name }
    return {
      toReceiver: prepareEmail(context, ownershipReceivedEmail(received)),
      toGiver: prepareEmail(context, ownershipGivenEmail(given, circumstances)),
    }
  })
}

function memberNotFound(): ApiError {
  return new ApiError('MEMBER_NOT_FOUND', { field: 'memberId' })
}
