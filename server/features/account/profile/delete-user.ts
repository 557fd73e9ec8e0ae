import type { UnitOfWork } from '../../../core/in-transaction.ts'
import { revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import { deleteUserRow } from '../../../core/users/store.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { deleteUnsentEmails, prepareEmail } from '../../../platform/mail/outbox.ts'
import { deleteLockedOrganization } from '../../organizations/organizations/delete-organization.ts'
import { userDeletedEmail } from './emails.ts'
import { lockOrganizationsOf, type MembershipOfUser } from './store.ts'

/**
 * Deletes a user within the caller's transaction, which has locked them: sessions, passwords, passkeys, memberships and open links go with the
 * row, organizations that nobody else is in too, and letters that were not sent yet. The audit record stays.
 * @throws ApiError YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER while others are in an organization that would
 *   have no owner
 */
export async function deleteUser(unit: UnitOfWork, user: UserRow): Promise<void> {
  const { transaction, context, actor } = unit
  const userId = user.id
  const memberships = await lockOrganizationsOf(transaction, userId)
  const isOnlyOwner = ({ role, ownerCount }: MembershipOfUser) => role === 'owner' && ownerCount === 1
  const orphaned = memberships.find((membership) => isOnlyOwner(membership) && membership.memberCount > 1)
  if (orphaned) {
    throw new ApiError('YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER', {
      message: `${orphaned.name} has other members and no other owner. Make somebody else an owner, or delete the organization, first.`,
    })
  }
  await revokeSessionsOfUser(unit, userId)
  for (const membership of memberships) {
    if (isOnlyOwner(membership)) await deleteLockedOrganization(unit, membership)
    else await recordLeaving(unit, userId, membership)
  }
  await deleteUserRow(transaction, userId)
  await deleteUnsentEmails(transaction, user.email)
  await unit.send(prepareEmail(context, userDeletedEmail(user.email, { at: context.now(), ...actor })))
  await unit.record({ action: 'user.deleted', subjectId: userId })
}

async function recordLeaving(unit: UnitOfWork, userId: string, { id, role }: MembershipOfUser): Promise<void> {
  const event = { action: 'member.left', subjectId: userId, organizationId: id, details: { role } } as const
  await unit.record(event)
}
