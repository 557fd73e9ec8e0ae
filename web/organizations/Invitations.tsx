import { useQuery } from '@tanstack/react-query'
import { useParams } from 'wouter'
import { type Column, DataTable } from '../shared/components/DataTable.tsx'
import { EmptyState } from '../shared/components/EmptyState.tsx'
import { FramePage } from '../shared/components/FramePage.tsx'
import { findValue } from '../shared/format/find-value.ts'
import { day } from '../shared/format/moment.ts'
import { ORGANIZATION_ROLES } from '../shared/format/role-name.ts'
import { InviteForm } from './InviteForm.tsx'
import { invitationsQuery } from './queries.ts'

type Invitation = { id: string; email: string; role: string; status: string; expiresAt: string }

const COLUMNS: Column<Invitation>[] = [
  { key: 'email', label: 'Email address', cell: ({ email }) => email },
  { key: 'role', label: 'Role', cell: ({ role }) => findValue(ORGANIZATION_ROLES, role) ?? role },
  { key: 'status', label: 'State', cell: ({ status }) => status },
  { key: 'expiresAt', label: 'Expires', cell: ({ expiresAt }) => day(new Date(expiresAt)) },
]

export function Invitations() {
  const { slug } = useParams<{ slug: string }>()
  const { data, error, refetch } = useQuery(invitationsQuery(slug))
  return (
    <FramePage heading="Invitations" isWide>
      <InviteForm slug={slug} />
      <DataTable
        caption="Invitations"
        columns={COLUMNS}
        rows={data?.invitations}
        rowKey={({ id }) => id}
        error={error}
        retry={refetch}
        empty={<EmptyState title="No invitations yet" />}
      />
    </FramePage>
  )
}
