import { queryClient } from '../shared/api/queries.ts'
import { EmailField } from '../shared/forms/EmailField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { showNotice } from '../shared/routing/page-state.ts'
import { correctAddress } from './change-invitation.ts'
import type { Invitation } from './queries.ts'

/** After an email that was not delivered: the address may be wrong, or the mail server did not respond for days. */
export function CorrectAddress({ invitation }: { invitation: Invitation }) {
  async function send(value: (name: string) => string) {
    const email = value('email').trim()
    await correctAddress(invitation, email)
    return email
  }

  /** The page shows the notice, because this form disappears with the failure. */
  async function done(email: string) {
    await queryClient.invalidateQueries()
    showNotice(`A new link is on its way to ${email}. The old one has stopped working.`)
  }

  return (
    <Form send={send} onDone={done} submitLabel="Send again" pendingLabel="Sending…">
      <EmailField
        autoComplete="off"
        defaultValue={invitation.email}
        hint="If the address is wrong, correct it first."
      />
    </Form>
  )
}
