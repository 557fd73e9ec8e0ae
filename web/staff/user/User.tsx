import { useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { useParams } from 'wouter'
import { FailureNotice } from '../../shared/components/FailureNotice.tsx'
import { FramePage } from '../../shared/components/FramePage.tsx'
import { Skeleton } from '../../shared/components/Skeleton.tsx'
import { Tabs, useTab } from '../../shared/components/Tabs.tsx'
import { SignInStatus } from '../common/SignInStatus.tsx'
import { Emails } from './Emails.tsx'
import { History, Impersonations } from './History.tsx'
import { Invitations } from './Invitations.tsx'
import { Memberships } from './Memberships.tsx'
import { type StaffUser, userQuery } from './queries.ts'
import { Sessions } from './Sessions.tsx'
import { UserActions } from './UserActions.tsx'
import { UserFacts } from './UserFacts.tsx'
import { WaysToSignIn } from './WaysToSignIn.tsx'

const TABS = {
  account: 'Account',
  sessions: 'Sessions',
  'sign-in': 'Ways to sign in',
  organizations: 'Organizations',
  invitations: 'Invitations',
  emails: 'Emails',
  history: 'History',
  impersonations: 'Impersonations',
}

const VIEWS: Record<keyof typeof TABS, ComponentType<{ user: StaffUser }>> = {
  account: Account,
  sessions: Sessions,
  'sign-in': WaysToSignIn,
  organizations: Memberships,
  invitations: Invitations,
  emails: Emails,
  history: History,
  impersonations: Impersonations,
}

export function User() {
  const { id } = useParams<{ id: string }>()
  const tab = useTab(TABS)
  const { data, error, refetch } = useQuery(userQuery(id))
  const user = data?.user
  const View = VIEWS[tab]
  return (
    <FramePage heading={user?.name ?? 'User'} lead={user?.email} isWide>
      {error && <FailureNotice error={error} retry={refetch} />}
      {!error && <SignInStatus query={{ userId: id }} />}
      <Tabs label="About this user" tabs={TABS} current={tab} />
      {user ? <View key={tab} user={user} /> : !error && <Skeleton lines={6} />}
    </FramePage>
  )
}

function Account({ user }: { user: StaffUser }) {
  return (
    <div className="columns">
      <UserFacts user={user} />
      <UserActions user={user} />
    </div>
  )
}
