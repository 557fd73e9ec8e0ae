import { authentication } from '../shared/api/authentication.ts'
import { queryClient } from '../shared/api/queries.ts'
import { request } from '../shared/api/request.ts'
import { hasCode, RequestFailed } from '../shared/api/request-failed.ts'
import { failureSentence } from '../shared/format/failure-sentence.ts'
import { showNotice } from '../shared/routing/page-state.ts'
import type { Invitation } from './queries.ts'

/**
 * Renews the invitation, which may have expired: it gets a new link, and 7 more days. The types of the official client
 * lack `expectedInvitationId`.
 * @throws RequestFailed INVITATION_NOT_FOUND if the invitation is not as the page shows it, among others
 */
export function sendAgain({ id, email, role, organizationId }: Invitation): Promise<unknown> {
  const body = { email, role, organizationId, resend: true, expectedInvitationId: id }
  return request('/api/auth/organization/invite-member', body)
}

/** `sendAgain` from the details of a row. The present row may lack its button, so the page shows the refusal. */
export async function sendRowAgain(invitation: Invitation): Promise<void> {
  try {
    await sendAgain(invitation)
  } catch (error) {
    if (hasCode(error, 'INVITATION_NOT_FOUND')) {
      await queryClient.invalidateQueries()
      showNotice(`${invitation.email}: ${failureSentence(RequestFailed.from(error))}`)
      scrollTo(0, 0)
    }
    throw error
  }
}

export function cancelInvitation({ id }: Invitation): Promise<unknown> {
  return authentication.organization.cancelInvitation({ invitationId: id })
}

/**
 * Invites the corrected address first, so that a refusal leaves everything as it is. A renewal would replace an open
 * invitation of that address.
 */
export async function correctAddress(invitation: Invitation, email: string): Promise<void> {
  if (email.toLowerCase() === invitation.email) return sendRowAgain(invitation)
  const { role, organizationId } = invitation
  await authentication.organization.inviteMember({ email, role, organizationId })
  await cancelInvitation(invitation)
}
