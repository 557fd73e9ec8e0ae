import { IMPERSONATION_REASON_LENGTH_MAXIMUM } from '../../../server/core/field-limits.ts'
import { tellOtherTabs } from '../../shared/api/tabs.ts'
import { InlineConfirm } from '../../shared/forms/InlineConfirm.tsx'
import { FOR_AUDIT_LOG, ReasonField } from '../common/ReasonField.tsx'
import { postStaffEndpoint } from '../common/staff-endpoints.ts'
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
      fields={<ReasonField missing={FOR_AUDIT_LOG} lengthMaximum={IMPERSONATION_REASON_LENGTH_MAXIMUM} />}
      action={(value) => postStaffEndpoint('impersonate-user', { userId: id, reason: value('reason').trim() })}
      onDone={goToAccount}
    />
  )
}
