import type { Kysely } from 'kysely'
import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Caller } from '../../../core/access/caller.ts'
import { assertFreshMember } from '../../../core/access/fresh-member.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { discardEmailsOfRefusedInvitations } from '../../../core/invitations/pass-invitations.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import { findMemberByEmail, findMemberById } from '../../../core/memberships/store.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import type { MemberRow, Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { type KeysOfLeaver, readKeysOfLeaver, revokeKeysOfLeaver } from '../api-keys/keys-of-leaver.ts'
import { deleteMembership } from './delete-membership.ts'
import { notifyFormerOwner, prepareFormerOwnerEmail } from './former-owner.ts'
import { leaveLockedOrganization } from './leave-organization.ts'

/**
 * Every role that may remove members may also revoke API keys.
 * @throws ApiError INVALID_EMAIL; MEMBER_NOT_FOUND; YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER; as `leaveOrganization`
 */
export async function removeMember(
  context: Context,
  actor: Actor,
  caller: Caller,
  membership: AuthorizedMembership,
  { memberIdOrEmail, revokeApiKeys }: { memberIdOrEmail: string; revokeApiKeys: boolean },
): Promise<{ member: MemberRow; keys: KeysOfLeaver }> {
  const expected = await findByIdOrEmail(context.database, membership.organization.id, memberIdOrEmail)
  const change = { expected, role: null }
  const emailFor = await prepareFormerOwnerEmail(context, actor, caller, membership.organization, change)
  return inTransaction(context, actor, async (unit) => {
    const { transaction, record } = unit
    const { organization, member: remover } = await lockMembershipForUpdate(transaction, membership)
    const member = await findByIdOrEmail(transaction, organization.id, memberIdOrEmail)
    if (!member) throw new ApiError('MEMBER_NOT_FOUND', { field: 'memberIdOrEmail' })
    if (member.id === remover.id) return leaveLockedOrganization(unit, caller, { organization, member }, revokeApiKeys)
    if (member.role === 'owner' && remover.role !== 'owner') {
      throw new ApiError('YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER')
    }
    if (member.role === 'owner' || revokeApiKeys) assertFreshMember(context, caller, organization)
    await deleteMembership(transaction, member, context.now())
    await discardEmailsOfRefusedInvitations(transaction, context.now(), [member.userId], organization.id)
    if (member.role === 'owner') await notifyFormerOwner(unit, member, organization.name, emailFor)
    const keys = revokeApiKeys ? await revokeKeysOfLeaver(unit, member) : await readKeysOfLeaver(unit, member)
    await record({
      action: 'member.removed',
      subjectId: member.userId,
      organizationId: organization.id,
      details: { role: member.role },
    })
    return { member, keys }
  })
}

function findByIdOrEmail(
  database: Kysely<Tables>,
  organizationId: string,
  text: string,
): Promise<MemberRow | undefined> {
  return text.includes('@')
    ? findMemberByEmail(database, organizationId, parseEmailAddress(text, 'memberIdOrEmail'))
    : findMemberById(database, organizationId, text)
}
