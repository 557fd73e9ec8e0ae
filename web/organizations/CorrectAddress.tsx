import { queryClient } from '../shared/api/queries.ts'
import { EmailField } from '../shared/forms/EmailField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { correctAddress } from './change-invitation.ts'
import type { Invitation } from './queries.ts'

/** After an email that was not delivered: the address may be wrong, or the mail server did not respond for days. */
export function CorrectAddress({ invitation }: { invitation: Invitation }) {
  return (
    <Form
      send={(value) => correctAddress(invitation, value('email').trim())}
      onDone={() => queryClient.invalidateQueries()}
      submitLabel="Send again"
      pendingLabel="Sending…"
    >
      <EmailField
        autoComplete="off"
        defaultValue={invitation.email}
        hint="If the address is wrong, correct it first."
      />
    </Form>
  )
}
