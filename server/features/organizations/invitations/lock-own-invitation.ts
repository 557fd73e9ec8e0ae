import type { Kysely } from 'kysely'
import { findInvitation, type InvitationDetails } from '../../../core/invitations/details-store.ts'
import { lockOrganizationForUpdate } from '../../../core/memberships/lock-membership.ts'
import { isBanned } from '../../../core/users/banned.ts'
import type { Tables, UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

/**
 * Locks the organization, so that the invitation and the role of the inviter do not change.
 * @param user locked before
 * @throws ApiError UNAUTHORIZED; EMAIL_NOT_VERIFIED; INVITATION_NOT_FOUND, also for an invitation to another address
 */
export async function lockOwnInvitation(
  transaction: Kysely<Tables>,
  now: number,
  user: UserRow | undefined,
  invitationId: string,
): Promise<InvitationDetails> {
  if (!user || isBanned(user, now)) throw new ApiError('UNAUTHORIZED')
  if (user.emailVerified === 0) throw new ApiError('EMAIL_NOT_VERIFIED')
  const found = await findInvitation(transaction, now, invitationId)
  if (found?.invitation.email !== user.email) throw new ApiError('INVITATION_NOT_FOUND')
  await lockOrganizationForUpdate(transaction, found.invitation.organizationId)
  const locked = await findInvitation(transaction, now, invitationId)
  if (!locked) throw new ApiError('INVITATION_NOT_FOUND')
  return locked
}
