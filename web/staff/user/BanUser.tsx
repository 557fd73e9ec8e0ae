import { authentication } from '../../shared/api/authentication.ts'
import { refreshPages } from '../../shared/api/queries.ts'
import { InlineConfirm } from '../../shared/forms/InlineConfirm.tsx'
import { BanFields, banUser } from '../common/BanFields.tsx'
import type { StaffUser } from './queries.ts'

export function BanUser({ user: { id, name, email } }: { user: StaffUser }) {
  return (
    <InlineConfirm
      label="Ban…"
      about={email}
      question={
        <>
          Ban <strong>{name}</strong>? All sessions end at once; tokens that services already have expire within 15
          minutes.
        </>
      }
      confirmLabel="Ban"
      pendingLabel="Banning…"
      fields={<BanFields />}
      action={(value) => banUser(id, value)}
      onDone={refreshPages}
    />
  )
}

export function UnbanUser({ user: { id, name, email } }: { user: StaffUser }) {
  return (
    <InlineConfirm
      label="Lift the ban"
      about={email}
      kind="main"
      question={
        <>
          Lift the ban of <strong>{name}</strong>? The user can then sign in again.
        </>
      }
      confirmLabel="Lift it"
      pendingLabel="Lifting…"
      action={() => authentication.admin.unbanUser({ userId: id })}
      onDone={refreshPages}
    />
  )
}
