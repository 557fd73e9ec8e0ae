import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { ListUserAppsResponse } from '../../../server/features/staff/apps/schemas.ts'
import { type Column, DataTable } from '../../shared/components/DataTable.tsx'
import { EmptyState } from '../../shared/components/EmptyState.tsx'
import { listed } from '../../shared/format/list.ts'
import { moment, shortDay } from '../../shared/format/moment.ts'
import { SELF_REGISTERED } from '../../shared/format/self-registered.ts'
import { listSeenData } from '../../shared/oauth-clients/seen-data.ts'
import { getStaffEndpoint } from '../common/staff-endpoints.ts'
import type { StaffUser } from './queries.ts'

type ResponseBody = Static<typeof ListUserAppsResponse>

const appsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['staff', 'list-user-apps', userId],
    queryFn: () => getStaffEndpoint<ResponseBody>('list-user-apps', { userId }),
  })

export function Apps({ user: { id } }: { user: StaffUser }) {
  const { data, error, refetch } = useQuery(appsQuery(id))
  return (
    <DataTable
      caption="Apps with access to the account of this user"
      columns={COLUMNS}
      rows={data?.apps}
      rowKey={(app) => app.clientId}
      error={error}
      retry={refetch}
      empty={<EmptyState title="No app has access to this account" />}
    />
  )
}

type App = ResponseBody['apps'][number]

const COLUMNS: Column<App>[] = [
  { key: 'name', label: 'App', cell: ({ name }) => name },
  { key: 'owner', label: 'Of', cell: ownerOf },
  { key: 'scopes', label: 'What it sees', cell: ({ scopes }) => listed(['user id', ...listSeenData(scopes)]) },
  { key: 'firstUsedAt', label: 'First used', cell: ({ firstUsedAt }) => shortDay(new Date(firstUsedAt)) },
  {
    key: 'lastUsedAt',
    label: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt ? moment(new Date(lastUsedAt)) : 'Signed out now'),
  },
]

function ownerOf({ organizationName, isSelfRegistered }: App): string {
  return isSelfRegistered ? SELF_REGISTERED : (organizationName ?? 'This service')
}
