import { authentication } from '../../shared/api/authentication.ts'
import { refreshPages } from '../../shared/api/queries.ts'
import { RowSelect } from '../../shared/components/RowSelect.tsx'
import { SERVICE_ROLES } from '../../shared/format/role-name.ts'
import type { StaffUser } from './queries.ts'

export function ServiceRole({ user: { id, email, role } }: { user: StaffUser }) {
  async function change(next: StaffUser['role']) {
    // The types of the official client know two roles only.
    await authentication.admin.setRole({ userId: id, role: next as 'admin' })
    await refreshPages()
  }

  return <RowSelect label={`Role of ${email}`} options={SERVICE_ROLES} value={role} action={change} />
}
