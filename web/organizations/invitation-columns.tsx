import type { Column } from '../shared/components/DataTable.tsx'
import { OpenRowButton } from '../shared/components/OpenRowButton.tsx'
import { isInviterMissing } from '../shared/format/is-inviter-missing.ts'
import { shortDay } from '../shared/format/moment.ts'
import { organizationRoleName } from '../shared/format/role-name.ts'
import type { OpenRow } from '../shared/routing/open-row.ts'
import { invitationState, lastEvent } from './describe-invitation.ts'
import type { Invitation } from './queries.ts'

export function invitationColumns(openRow: OpenRow): Column<Invitation>[] {
  return [
    { key: 'email', label: 'Email address', cell: ({ email }) => email },
    { key: 'role', label: 'Role', isShort: true, cell: ({ role }) => organizationRoleName(role) },
    { key: 'state', label: 'State', isShort: true, cell: (invitation) => <State invitation={invitation} /> },
    { key: 'createdAt', label: 'Invited', isShort: true, cell: ({ createdAt }) => shortDay(new Date(createdAt)) },
    {
      key: 'details',
      label: 'Details',
      isShort: true,
      cell: ({ id, email }) => <OpenRowButton openRow={openRow} id={id} label="Open" about={`details of ${email}`} />,
    },
  ]
}

const BADGES: Partial<Record<ReturnType<typeof lastEvent>, string>> = {
  failed: 'badge-bad',
  delayed: 'badge-bad',
  accepted: 'badge-good',
}

function State({ invitation }: { invitation: Invitation }) {
  const badge = isInviterMissing(invitation) ? 'badge-bad' : (BADGES[lastEvent(invitation)] ?? 'badge-open')
  return <span className={`badge ${badge}`}>{invitationState(invitation)}</span>
}
