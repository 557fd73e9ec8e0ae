import { useRef } from 'react'
import { refreshPages } from '../shared/api/queries.ts'
import { hasCode, RequestFailed } from '../shared/api/request-failed.ts'
import { EmailField } from '../shared/forms/EmailField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { showNotice } from '../shared/routing/page-state.ts'
import { cancelInvitation, inviteCorrected, OUTDATED_ROW, sendAgain } from './change-invitation.ts'
import type { Invitation } from './queries.ts'

const SENTENCES = {
  ...OUTDATED_ROW,
  NO_RESPONSE: 'No response came. Send it again: only the link in the newest email works.',
}

/** After an email that was not delivered: the address may be wrong, or the mail server did not respond for days. */
export function CorrectAddress({ invitation }: { invitation: Invitation }) {
  const invited = useRef('')
  /** The address of a request without a response, which may have invited it. */
  const unanswered = useRef('')

  /**
   * Invites the corrected address first, so that a refusal leaves everything as it is. After a failed cancellation, the
   * next try only cancels: another invitation of the address would be refused.
   */
  async function send(value: (name: string) => string) {
    const email = value('email').trim()
    if (email.toLowerCase() === invitation.email) await sendAgain(invitation)
    else {
      if (invited.current !== email) await inviteOnce(email)
      invited.current = email
      await cancelInvitation(invitation).catch(assertEnded)
    }
    return email
  }

  async function inviteOnce(email: string) {
    try {
      await inviteCorrected(invitation, email)
    } catch (error) {
      const isInvited = hasCode(error, 'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION')
      if (isInvited && unanswered.current === email) return
      if (RequestFailed.from(error).code === 'NO_RESPONSE') unanswered.current = email
      throw error
    }
  }

  /** The page shows the notice, because this form disappears with the failure. */
  async function done(email: string) {
    await refreshPages()
    showNotice(`A new link is on its way to ${email}. The old one has stopped working.`)
  }

  return (
    <Form send={send} onDone={done} submitLabel="Send again" pendingLabel="Sending…" sentences={SENTENCES}>
      <EmailField
        autoComplete="off"
        defaultValue={invitation.email}
        hint="If the address is wrong, correct it first."
      />
    </Form>
  )
}

/** The link of an invitation that has ended does not work either. */
function assertEnded(error: unknown): void {
  if (!hasCode(error, 'INVITATION_ALREADY_USED') && !hasCode(error, 'INVITATION_NOT_FOUND')) throw error
}
