import { authentication } from '../shared/api/authentication.ts'
import { queryClient } from '../shared/api/queries.ts'
import { RowSelect } from '../shared/components/RowSelect.tsx'
import { ORGANIZATION_ROLES } from '../shared/format/role-name.ts'

type Role = keyof typeof ORGANIZATION_ROLES

type RoleSelectProps = { member: { id: string; organizationId: string; role: string; user: { name: string } } }

export function RoleSelect({ member }: RoleSelectProps) {
  const { id, organizationId, role, user } = member

  async function change(next: Role) {
    await authentication.organization.updateMemberRole({ memberId: id, organizationId, role: next })
    await queryClient.invalidateQueries()
  }

  return <RowSelect label={`Role of ${user.name}`} options={ORGANIZATION_ROLES} value={role as Role} action={change} />
}
