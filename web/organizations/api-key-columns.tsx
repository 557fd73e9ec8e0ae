import type { Column } from '../shared/components/DataTable.tsx'
import { OpenRowButton } from '../shared/components/OpenRowButton.tsx'
import { shortDay } from '../shared/format/moment.ts'
import { organizationRoleName } from '../shared/format/role-name.ts'
import type { OpenRow } from '../shared/routing/open-row.ts'
import type { ApiKey } from './queries.ts'

export function apiKeyColumns(openRow: OpenRow): Column<ApiKey>[] {
  return [
    { key: 'name', label: 'Name', isSortable: true, cell: (apiKey) => <Name apiKey={apiKey} /> },
    { key: 'role', label: 'Role', isShort: true, cell: ({ role }) => organizationRoleName(role) },
    { key: 'createdAt', label: 'Created', isSortable: true, cell: (apiKey) => <Creation apiKey={apiKey} /> },
    {
      key: 'lastRequest',
      label: 'Last used',
      isShort: true,
      cell: ({ lastRequest }) => (lastRequest === null ? 'Not yet' : shortDay(new Date(lastRequest))),
    },
    {
      key: 'expiresAt',
      label: 'Expires',
      isSortable: true,
      isShort: true,
      cell: (apiKey) => <Expiry apiKey={apiKey} />,
    },
    {
      key: 'details',
      label: 'Manage',
      isShort: true,
      cell: ({ id, name }) => <OpenRowButton openRow={openRow} id={id} label="Manage" about={name} />,
    },
  ]
}

function Name({ apiKey: { name, start, enabled, rotatedAt } }: { apiKey: ApiKey }) {
  return (
    <>
      {name} {!enabled && <span className="badge badge-bad">Disabled</span>}
      {rotatedAt !== null && <span className="badge badge-open">Rotated</span>}
      <span className="key-start">{start}…</span>
    </>
  )
}

function Creation({ apiKey: { createdAt, createdBy } }: { apiKey: ApiKey }) {
  return (
    <>
      {shortDay(new Date(createdAt))} by {createdBy.name ?? 'a deleted user'}
      {!createdBy.isMember && ' '}
      {!createdBy.isMember && <span className="badge badge-bad">Has left</span>}
    </>
  )
}

function Expiry({ apiKey: { expiresAt } }: { apiKey: ApiKey }) {
  if (expiresAt === null) return 'Never'
  const at = new Date(expiresAt)
  return at.getTime() <= Date.now() ? <span className="badge badge-bad">Expired</span> : shortDay(at)
}
