import type { Static } from 'typebox'
import { Link } from 'wouter'
import type { ListAllInvitationsResponse } from '../../../server/features/staff/organizations/schemas.ts'
import { type Column, DataTable } from '../../shared/components/DataTable.tsx'
import { EmptyState } from '../../shared/components/EmptyState.tsx'
import { findValue } from '../../shared/format/find-value.ts'
import { INVITATION_STATUS_NAMES } from '../../shared/format/invitation-names.ts'
import { isInviterMissing } from '../../shared/format/is-inviter-missing.ts'
import { isolated } from '../../shared/format/isolated.ts'
import { moment } from '../../shared/format/moment.ts'
import { organizationRoleName } from '../../shared/format/role-name.ts'
import { Timeline } from './Timeline.tsx'
import type { ListProps } from './use-page.ts'

export type InvitationPage = Static<typeof ListAllInvitationsResponse>
type Invitation = InvitationPage['invitations'][number]

export function InvitationList({ page, offset, limit, ...table }: ListProps<InvitationPage>) {
  return (
    <DataTable
      caption="Invitations"
      columns={COLUMNS}
      rows={page?.invitations}
      rowKey={({ id }) => id}
      page={{ offset, limit, total: page?.total }}
      empty={
        <EmptyState title="No such invitation">
          <p className="soft">
            The address may be misspelt in the invitation: search for a part of it. If there is none, ask the
            organization to send one.
          </p>
        </EmptyState>
      }
      {...table}
    />
  )
}

const COLUMNS: Column<Invitation>[] = [
  { key: 'email', label: 'Email address', cell: ({ email }) => email },
  { key: 'organization', label: 'Organization', cell: (invitation) => <Into invitation={invitation} /> },
  { key: 'status', label: 'State', cell: (invitation) => <InvitationState invitation={invitation} /> },
  { key: 'timeline', label: 'What happened', cell: ({ timeline }) => <Timeline steps={timeline} /> },
]

function Into({ invitation }: { invitation: Invitation }) {
  const { organizationId, organizationName, role, inviterName, inviterEmail } = invitation
  const inviter = inviterName === null ? 'a deleted user' : `${isolated(inviterName)}, ${inviterEmail}`
  return (
    <>
      <p>
        <Link href={`/staff/organizations/${organizationId}`}>{organizationName}</Link>
      </p>
      <p className="soft">
        As {organizationRoleName(role).toLowerCase()}, invited by {inviter}
      </p>
    </>
  )
}

function InvitationState({ invitation }: { invitation: Invitation }) {
  const { status, expiresAt } = invitation
  const isOpen = status === 'pending'
  if (isInviterMissing(invitation))
    return (
      <>
        <p>
          <span className="badge badge-bad">Can’t be accepted</span>
        </p>
        <p className="soft">The inviter may no longer invite</p>
      </>
    )
  return (
    <span className={`badge ${isOpen ? 'badge-good' : 'badge-open'}`}>
      {isOpen ? `Open until ${moment(new Date(expiresAt))}` : (findValue(INVITATION_STATUS_NAMES, status) ?? status)}
    </span>
  )
}
