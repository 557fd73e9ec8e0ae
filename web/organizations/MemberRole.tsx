import { authentication } from '../shared/api/authentication.ts'
import { refreshPages } from '../shared/api/queries.ts'
import { RowSelect } from '../shared/components/RowSelect.tsx'
import { ORGANIZATION_ROLES } from '../shared/format/role-name.ts'
import type { Member } from './queries.ts'
import { grantableRoles, type Role } from './roles.ts'

type MemberRoleProps = { member: Member; granterRole: Role; obstacle: string | undefined; onChange: () => void }

export function MemberRole({ member, granterRole, obstacle, onChange }: MemberRoleProps) {
  const { id, organizationId, role, user } = member

  async function change(next: Role) {
    onChange()
    await authentication.organization.updateMemberRole({ memberId: id, organizationId, role: next })
    await refreshPages()
  }

  return (
    <RowSelect
      label={`Role of ${user.name}`}
      options={obstacle === undefined ? grantableRoles(granterRole) : ORGANIZATION_ROLES}
      value={role}
      reasonOff={obstacle}
      action={change}
    />
  )
}
