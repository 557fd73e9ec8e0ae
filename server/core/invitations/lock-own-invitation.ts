import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { lockOrganizationForUpdate } from '../memberships/lock-membership.ts'
import { findInvitation, type InvitationDetails } from './store.ts'

/**
 * An invitation of the user's address, which nobody else can answer or withdraw until the transaction ends; what its
 * inviter may do can't change either.
 * @throws ApiError INVITATION_NOT_FOUND, also for one of another address, as if it did not exist
 */
export async function lockOwnInvitation(
  transaction: Kysely<Tables>,
  { email }: UserRow,
  invitationId: string,
): Promise<InvitationDetails> {
  const found = await findInvitation(transaction, invitationId)
  if (found?.invitation.email !== email) throw new ApiError('INVITATION_NOT_FOUND')
  await lockOrganizationForUpdate(transaction, found.invitation.organizationId)
  const locked = await findInvitation(transaction, invitationId)
  if (!locked) throw new ApiError('INVITATION_NOT_FOUND')
  return locked
}
