import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { lockOrganizationForUpdate } from '../memberships/lock-membership.ts'
import { isBanned } from '../users/banned.ts'
import { findInvitation, type InvitationDetails } from './details-store.ts'

/**
 * Locks the organization of an invitation to the user's email address. Until the transaction ends, the invitation and the
 * inviter's role do not change.
 * @param user the caller, whom the transaction has locked
 * @throws ApiError UNAUTHORIZED when the user was deleted or banned; EMAIL_NOT_VERIFIED; INVITATION_NOT_FOUND, also for
 *   an invitation to another address
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
