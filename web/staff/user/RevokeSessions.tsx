import { authentication } from '../../shared/api/authentication.ts'
import { refreshPages } from '../../shared/api/queries.ts'
import { InlineConfirm } from '../../shared/forms/InlineConfirm.tsx'
import type { StaffUser } from './queries.ts'

export function RevokeSessions({ user: { id, name, email } }: { user: StaffUser }) {
  return (
    <InlineConfirm
      label="Sign out everywhere"
      about={email}
      question={
        <>
          Sign out <strong>{name}</strong> on all devices?
        </>
      }
      confirmLabel="Sign out"
      pendingLabel="Signing out…"
      doneNotice={`${name} is signed out on all devices.`}
      action={() => authentication.admin.revokeUserSessions({ userId: id })}
      onDone={refreshPages}
    />
  )
}
