import { useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { useParams } from 'wouter'
import { useCaller } from '../../shared/api/caller.ts'
import { hasCode } from '../../shared/api/request-failed.ts'
import { EmptyState } from '../../shared/components/EmptyState.tsx'
import { FailureNotice } from '../../shared/components/FailureNotice.tsx'
import { FramePage } from '../../shared/components/FramePage.tsx'
import { Skeleton } from '../../shared/components/Skeleton.tsx'
import { NotThere } from '../common/NotThere.tsx'
import { SignInStatus } from '../common/SignInStatus.tsx'
import { Tabs, useTab } from '../common/Tabs.tsx'
import { Apps } from './Apps.tsx'
import { Emails } from './Emails.tsx'
import { History, Impersonations } from './History.tsx'
import { Invitations } from './Invitations.tsx'
import { Memberships } from './Memberships.tsx'
import { whyNotManage } from './off-reasons.ts'
import { type StaffUser, userQuery } from './queries.ts'
import { Sessions } from './Sessions.tsx'
import { UserActions } from './UserActions.tsx'
import { UserFacts } from './UserFacts.tsx'
import { WaysToSignIn } from './WaysToSignIn.tsx'

const TABS = {
  account: 'Account',
  sessions: 'Sessions',
  'sign-in': 'Ways to sign in',
  apps: 'Apps',
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
  apps: Apps,
  organizations: Memberships,
  invitations: Invitations,
  emails: Emails,
  history: History,
  impersonations: Impersonations,
}

/** Support see these views of users only, and not of staff. */
const FOR_MANAGERS: (keyof typeof TABS)[] = ['sessions', 'sign-in', 'apps', 'history', 'impersonations']

export function User() {
  const { id } = useParams<{ id: string }>()
  const { user: staff } = useCaller()
  const tab = useTab(TABS)
  const { data, error, refetch } = useQuery(userQuery(id))
  const user = data?.user
  if (hasCode(error, 'USER_NOT_FOUND')) return <NotThere kind="user" id={id} />
  const whyNot = user && whyNotManage(staff, user)
  return (
    <FramePage heading={user?.name ?? 'User'} lead={user?.email} isWide>
      {error && <FailureNotice error={error} retry={refetch} />}
      {!user && !error && <Skeleton lines={3} />}
      {user && (whyNot === undefined ? <SignInStatus query={{ userId: id }} /> : <p className="obstacle">{whyNot}</p>)}
      <Tabs label="About this user" tabs={TABS} current={tab} />
      {!user && !error && <Skeleton lines={6} />}
      {user && <ViewOf tab={tab} user={user} isOff={whyNot !== undefined && FOR_MANAGERS.includes(tab)} />}
    </FramePage>
  )
}

function ViewOf({ tab, user, isOff }: { tab: keyof typeof TABS; user: StaffUser; isOff: boolean }) {
  const View = VIEWS[tab]
  return isOff ? <EmptyState title="Only administrators see this of staff" /> : <View key={tab} user={user} />
}

function Account({ user }: { user: StaffUser }) {
  return (
    <div className="columns">
      <UserFacts user={user} />
      <UserActions user={user} />
    </div>
  )
}
