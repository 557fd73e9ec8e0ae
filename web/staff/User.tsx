import { useQuery } from '@tanstack/react-query'
import { useParams } from 'wouter'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { FramePage } from '../shared/components/FramePage.tsx'
import { Skeleton } from '../shared/components/Skeleton.tsx'
import { Tabs, useTab } from '../shared/components/Tabs.tsx'
import { userQuery } from './queries.ts'
import { UserDetails } from './UserDetails.tsx'
import { UserSessions } from './UserSessions.tsx'

const TABS = { account: 'Account', sessions: 'Sessions' }

export function User() {
  const { id } = useParams<{ id: string }>()
  const tab = useTab(TABS)
  const { data, error, isPending, refetch } = useQuery(userQuery(id))
  const user = data?.user
  return (
    <FramePage heading={user?.name ?? 'User'} isWide>
      <Tabs label="About this user" tabs={TABS} current={tab} />
      {isPending && <Skeleton lines={4} />}
      {error && <FailureNotice error={error} retry={refetch} />}
      {user && tab === 'account' && <UserDetails user={user} />}
      {user && tab === 'sessions' && <UserSessions userId={user.id} />}
    </FramePage>
  )
}
