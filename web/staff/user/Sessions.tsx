import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { SessionsResponse } from '../../../server/features/staff/sessions/schemas.ts'
import { refreshPages } from '../../shared/api/queries.ts'
import { type Column, DataTable } from '../../shared/components/DataTable.tsx'
import { EmptyState } from '../../shared/components/EmptyState.tsx'
import { deviceName } from '../../shared/format/device-name.ts'
import { moment } from '../../shared/format/moment.ts'
import { InlineConfirm } from '../../shared/forms/InlineConfirm.tsx'
import { postStaffEndpoint } from '../common/staff-endpoints.ts'
import type { StaffUser } from './queries.ts'

type Session = Static<typeof SessionsResponse>['sessions'][number]

const sessionsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['staff', 'list-user-sessions', userId],
    queryFn: () => postStaffEndpoint<Static<typeof SessionsResponse>>('list-user-sessions', { userId }),
  })

export function Sessions({ user: { id } }: { user: StaffUser }) {
  const { data, error, refetch } = useQuery(sessionsQuery(id))
  return (
    <DataTable
      caption="Sessions of this user"
      columns={COLUMNS}
      rows={data?.sessions}
      rowKey={(session) => session.id}
      error={error}
      retry={refetch}
      empty={<EmptyState title="This user is not signed in anywhere" />}
    />
  )
}

const COLUMNS: Column<Session>[] = [
  { key: 'device', label: 'Device', cell: deviceOf },
  { key: 'ipAddress', label: 'Network', cell: ({ ipAddress }) => ipAddress },
  { key: 'createdAt', label: 'Signed in', isShort: true, cell: ({ createdAt }) => moment(new Date(createdAt)) },
  { key: 'lastUsedAt', label: 'Last used', cell: ({ lastUsedAt }) => lastUsedAt && moment(new Date(lastUsedAt)) },
  { key: 'expiresAt', label: 'Expires', isShort: true, cell: ({ expiresAt }) => moment(new Date(expiresAt)) },
  { key: 'revoke', label: 'Actions', cell: (session) => <RevokeSession session={session} /> },
]

function deviceOf({ userAgent, impersonatedBy }: Session): string {
  return deviceName(userAgent) + (impersonatedBy === null ? '' : ', impersonated by staff')
}

function RevokeSession({ session }: { session: Session }) {
  return (
    <InlineConfirm
      label="Sign out"
      about={deviceOf(session)}
      question="Revoke this session? The user can sign in again."
      confirmLabel="Sign out"
      pendingLabel="Signing out…"
      action={() => postStaffEndpoint('revoke-user-session', { sessionToken: session.token })}
      onDone={refreshPages}
    />
  )
}
