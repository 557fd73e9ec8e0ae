import type { Caller } from '../../../core/access/caller.ts'
import type { Context } from '../../../core/context.ts'
import { findInvitation, type InvitationDetails } from '../../../core/invitations/details-store.ts'
import { assertUsable } from '../../../core/invitations/get-usable-invitation.ts'
import { ApiError } from '../../../platform/http/errors.ts'

/** @throws ApiError INVITATION_NOT_FOUND, also for an invitation to another address; the errors of `assertUsable` */
export async function getInvitation(
  { database, now }: Context,
  { user }: Caller,
  id: string,
): Promise<InvitationDetails> {
  const details = await findInvitation(database, now(), id)
  if (details?.invitation.email !== user.email) throw new ApiError('INVITATION_NOT_FOUND', { field: 'id' })
  assertUsable(details, now())
  return details
}
