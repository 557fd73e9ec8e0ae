import { tellOtherTabs } from '../../shared/api/tabs.ts'
import { InlineConfirm } from '../../shared/forms/InlineConfirm.tsx'
import { TextField } from '../../shared/forms/TextField.tsx'
import { tell } from '../common/ask.ts'
import type { StaffUser } from './queries.ts'

/** The browser gets another session, so the account page is loaded anew, without data of the staff user. */
export function Impersonate({ user: { id, name, email } }: { user: StaffUser }) {
  function goToAccount() {
    tellOtherTabs()
    location.assign('/account')
  }

  return (
    <InlineConfirm
      label="Impersonate…"
      about={email}
      question={
        <>
          Impersonate <strong>{name}</strong>? It ends after an hour, or when you press Stop. The audit log has the
          reason.
        </>
      }
      confirmLabel="Impersonate"
      pendingLabel="Starting…"
      kind="main"
      fields={
        <TextField
          name="reason"
          label="Reason"
          content="sentence"
          autoComplete="off"
          check={(reason) => (reason.trim() === '' ? 'Say why: it is written to the audit log.' : null)}
        />
      }
      action={(value) => tell('impersonate-user', { userId: id, reason: value('reason').trim() })}
      onDone={goToAccount}
    />
  )
}
