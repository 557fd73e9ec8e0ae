import { useLocation } from 'wouter'
import { authentication } from '../../shared/api/authentication.ts'
import { InlineConfirm } from '../../shared/forms/InlineConfirm.tsx'
import { refreshStaffPages } from '../common/refresh-staff-pages.ts'
import type { StaffUser } from './queries.ts'

export function DeleteUser({ user: { id, name, email } }: { user: StaffUser }) {
  const [, navigate] = useLocation()

  function done() {
    navigate('/staff/users')
    void refreshStaffPages()
  }

  return (
    <InlineConfirm
      label="Delete…"
      about={email}
      question={
        <>
          Delete <strong>{name}</strong> with all sessions, passkeys and memberships? An organization with no other
          member is deleted too. It can’t be undone.
        </>
      }
      confirmLabel="Delete this user"
      pendingLabel="Deleting…"
      typedName={email}
      action={() => authentication.admin.removeUser({ userId: id })}
      onDone={done}
    />
  )
}
