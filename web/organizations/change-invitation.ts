import { authentication } from '../shared/api/authentication.ts'
import type { Invitation } from './queries.ts'

/** Renews the invitation, which may have expired: it gets a new link, and 7 more days. */
export function sendAgain({ email, role, organizationId }: Invitation): Promise<unknown> {
  return authentication.organization.inviteMember({ email, role, organizationId, resend: true })
}

export function cancelInvitation({ id }: Invitation): Promise<unknown> {
  return authentication.organization.cancelInvitation({ invitationId: id })
}

/**
 * Invites the corrected address first, so that a refusal leaves everything as it is. A renewal would replace an open
 * invitation of that address.
 */
export async function correctAddress(invitation: Invitation, email: string): Promise<void> {
  if (email.toLowerCase() === invitation.email) {
    await sendAgain(invitation)
    return
  }
  const { role, organizationId } = invitation
  await authentication.organization.inviteMember({ email, role, organizationId })
  await cancelInvitation(invitation)
}
