import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import type { UnitOfWork } from '../../../core/in-transaction.ts'
import { discardEmailsOfRefusedInvitations, passInvitationsOf } from '../../../core/invitations/pass-invitations.ts'
import { revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import { deleteUserRow } from '../../../core/users/store.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { deleteUnsentEmails, type PreparedEmail, prepareEmail, sendEmails } from '../../../platform/mail/outbox.ts'
import { deleteLockedOrganizations } from '../../organizations/organizations/delete-organization.ts'
import { listUndoAddresses } from '../email/undo-links.ts'
import { classifyMemberships } from './classify-memberships.ts'
import { userDeletedEmail } from './emails.ts'
import { listEndingMemberships, lockOrganizationsOfUserForUpdate } from './store.ts'

/** The text names no address: `deleteUser` knows the recipients under its locks. */
export function prepareUserDeletedEmail(context: Context, actor: Actor): PreparedEmail {
  return prepareEmail(context, userDeletedEmail('', { at: context.now(), ...actor }))
}

/**
 * Foreign keys delete sessions, credentials, memberships and tokens. Audit events remain. The transaction has locked
 * the user with `lockUserForDeletion`.
 * @param expectedIds of the organizations that the caller knows to be deleted; undefined allows any
 * @throws ApiError YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER; DELETION_CHANGED
 */
export async function deleteUser(
  unit: UnitOfWork,
  user: UserRow,
  email: PreparedEmail,
  expectedIds?: string[],
): Promise<void> {
  const { transaction, record, recordAll, actor } = unit
  const { now } = unit.context
  const userId = user.id
  await lockOrganizationsOfUserForUpdate(transaction, userId)
  const { blocking, deleted, left } = classifyMemberships(await listEndingMemberships(transaction, userId, now()))
  const isLeaving = actor.actorId === userId
  const [orphaned] = blocking
  if (orphaned) throw onlyOwner(orphaned.name, isLeaving)
  // The last other member may have left since. The caller means to leave this organization, not to delete it.
  if (expectedIds && deleted.some(({ id }) => !expectedIds.includes(id))) throw new ApiError('DELETION_CHANGED')
  await revokeSessionsOfUser(unit, userId)
  await deleteLockedOrganizations(unit, deleted)
  // Staff who remove a user do not pass the user's invitations. They can't be accepted, like those of a removed member.
  const passed = isLeaving ? await passInvitationsOf(transaction, now(), userId, left) : undefined
  await recordAll(
    left.map(({ id: organizationId, role }) => ({
      action: 'member.left',
      subjectId: userId,
      organizationId,
      details: { role, ...(passed && { passedInvitations: 0, ...passed.get(organizationId) }) },
    })),
  )
  // The deletion ends the links that undo a change of the address. An intruder may have changed it.
  const recipients = new Set([user.email, ...(await listUndoAddresses(transaction, userId, now()))])
  await deleteUserRow(transaction, userId)
  await discardEmailsOfRefusedInvitations(transaction, now(), [userId])
  await deleteUnsentEmails(transaction, user)
  await sendEmails(
    unit,
    [...recipients].map((recipient) => ({ ...email, recipient })),
  )
  await record({ action: 'user.deleted', subjectId: userId, details: { role: user.role } })
}

/** Staff can neither make a member an owner nor delete an organization. */
function onlyOwner(organizationName: string, isLeaving: boolean): ApiError {
  const advice = isLeaving
    ? 'Make another member an owner, or delete the organization, first.'
    : 'Ask the user to make another member an owner first. Or ban the user, invite another owner, and try again when ' +
      'the invitation is accepted.'
  return new ApiError('YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER', {
    message: `${organizationName} has other members and no other owner. ${advice}`,
  })
}
