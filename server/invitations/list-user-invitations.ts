import type { Context } from '../context.ts'
import type { InvitationRow } from '../database/tables.ts'
import type { Caller } from '../http/caller.ts'
import { findOpenInvitationsOf } from './store.ts'

/** The open invitations of the caller's own address, newest first. */
export function listUserInvitations(
  { database, now }: Context,
  { user }: Caller,
): Promise<(InvitationRow & { organizationName: string })[]> {
  return findOpenInvitationsOf(database, user.email, now())
}
