import { refreshPages } from '../../shared/api/queries.ts'
import { InlineConfirm } from '../../shared/forms/InlineConfirm.tsx'
import { postStaffEndpoint } from '../common/staff-endpoints.ts'
import type { StaffUser } from './queries.ts'

export function PasswordLink({ user: { id, email } }: { user: StaffUser }) {
  return (
    <InlineConfirm
      label="Send a password link"
      about={email}
      kind="main"
      question={
        <>
          Send a link to <strong>{email}</strong>? It works once, within an hour.
        </>
      }
      confirmLabel="Send the link"
      pendingLabel="Sending…"
      doneNotice={`The link is on its way to ${email}. The tab “Emails” shows when it is sent.`}
      action={() => postStaffEndpoint('send-password-link', { userId: id })}
      onDone={refreshPages}
    />
  )
}
