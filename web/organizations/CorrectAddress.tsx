import { queryClient } from '../shared/api/queries.ts'
import { EmailField } from '../shared/forms/EmailField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { correctAddress } from './change-invitation.ts'
import type { Invitation } from './queries.ts'

/** For an invitation whose email the mail server refused. */
export function CorrectAddress({ invitation }: { invitation: Invitation }) {
  return (
    <Form
      send={(value) => correctAddress(invitation, value('email').trim())}
      onDone={() => queryClient.invalidateQueries()}
      submitLabel="Correct the address and send again"
      pendingLabel="Sending…"
    >
      <EmailField label="Corrected email address" autoComplete="off" defaultValue={invitation.email} />
    </Form>
  )
}
