import { authentication } from '../shared/api/authentication.ts'
import type { Invitation } from './queries.ts'

/** Renews the invitation, which may have expired: it gets a new link, and 7 more days. */
export function sendAgain({ email, role, organizationId }: Invitation): Promise<unknown> {
  return authentication.organization.inviteMember({ email, role, organizationId, resend: true })
}

export function cancelInvitation({ id }: Invitation): Promise<unknown> {
  return authentication.organization.cancelInvitation({ invitationId: id })
}

/** Invites the corrected address first, so that a refusal leaves everything as it is. */
export async function correctAddress(invitation: Invitation, email: string): Promise<void> {
  await sendAgain({ ...invitation, email })
  if (email.toLowerCase() !== invitation.email) await cancelInvitation(invitation)
}
