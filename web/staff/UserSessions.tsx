import { useQuery } from '@tanstack/react-query'
import { type Column, DataTable } from '../shared/components/DataTable.tsx'
import { EmptyState } from '../shared/components/EmptyState.tsx'
import { moment } from '../shared/format/moment.ts'
import { userSessionsQuery } from './queries.ts'

type Session = { id: string; createdAt: Date; expiresAt: Date; ipAddress?: string | null | undefined }

const COLUMNS: Column<Session>[] = [
  { key: 'createdAt', label: 'Signed in', cell: ({ createdAt }) => moment(new Date(createdAt)) },
  { key: 'ipAddress', label: 'Network', cell: ({ ipAddress }) => ipAddress },
  { key: 'expiresAt', label: 'Expires', cell: ({ expiresAt }) => moment(new Date(expiresAt)) },
]

export function UserSessions({ userId }: { userId: string }) {
  const { data, error, refetch } = useQuery(userSessionsQuery(userId))
  return (
    <DataTable
      caption="Sessions of this user"
      columns={COLUMNS}
      rows={data?.sessions}
      rowKey={({ id }) => id}
      error={error}
      retry={refetch}
      empty={<EmptyState title="This user is not signed in anywhere" />}
    />
  )
}
