import { authentication } from '../shared/api/authentication.ts'
import { request } from '../shared/api/request.ts'
import type { Sentences } from '../shared/format/failure-sentence.ts'
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

export function cancelInvitation({ id }: Invitation): Promise<unknown> {
  return authentication.organization.cancelInvitation({ invitationId: id })
}

/** For a row of a list that was loaded before. */
export const OUTDATED_ROW: Sentences = {
  INVITATION_NOT_FOUND:
    'Nothing was sent: this invitation has changed or ended, or a newer one has replaced it. Load the page again.',
}

/** Without `resend`, which would replace an open invitation of the corrected address. */
export function inviteCorrected({ role, organizationId }: Invitation, email: string): Promise<unknown> {
  return authentication.organization.inviteMember({ email, role, organizationId })
}
