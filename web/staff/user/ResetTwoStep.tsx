import { RESET_REASON_LENGTH_MAXIMUM } from '../../../server/core/field-limits.ts'
import { refreshPages } from '../../shared/api/queries.ts'
import { InlineConfirm } from '../../shared/forms/InlineConfirm.tsx'
import { FOR_AUDIT_LOG, ReasonField } from '../common/ReasonField.tsx'
import { postStaffEndpoint } from '../common/staff-endpoints.ts'
import type { StaffUser } from './queries.ts'

/** For a user who lost the phone and the recovery codes. */
export function ResetTwoStep({ user: { id, name, email } }: { user: StaffUser }) {
  return (
    <InlineConfirm
      label="Reset two-step verification"
      about={email}
      question={
        <>
          Reset two-step verification of <strong>{name}</strong>? The password alone then signs in. All sessions end,
          and the user gets an email. Make sure that it is the user who asks.
        </>
      }
      confirmLabel="Reset it"
      pendingLabel="Resetting…"
      fields={
        <ReasonField
          hint="For the audit log: how you made sure who asks."
          missing={FOR_AUDIT_LOG}
          lengthMaximum={RESET_REASON_LENGTH_MAXIMUM}
        />
      }
      action={(value) => postStaffEndpoint('reset-two-factor', { userId: id, reason: value('reason').trim() })}
      onDone={refreshPages}
    />
  )
}
