import type { Caller } from '../../../core/access/caller.ts'
import type { Context } from '../../../core/context.ts'
import { findOpenInvitationsOf } from '../../../core/invitations/store.ts'
import type { InvitationRow } from '../../../platform/database/tables.ts'

/** The open invitations of the caller's own address, newest first. */
export function listUserInvitations(
  { database, now }: Context,
  { user }: Caller,
): Promise<(InvitationRow & { organizationName: string })[]> {
  return findOpenInvitationsOf(database, user.email, now())
}
