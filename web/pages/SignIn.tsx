import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { invitationQuery, sessionQuery } from '../api/queries.ts'
import { Loading } from '../components/Loading.tsx'
import { Notice } from '../components/Notice.tsx'
import { Page } from '../components/Page.tsx'
import { SignInForm } from '../components/SignInForm.tsx'
import { Link } from '../routing/Link.tsx'
import { leaveSignIn } from '../routing/leave-sign-in.ts'
import { noticeOnArrival } from '../routing/navigation.ts'
import { nextOrigin } from '../routing/next-origin.ts'

export function SignIn() {
  const session = useQuery(sessionQuery)
  const invitation = useQuery(invitationQuery)
  const next = nextOrigin()
  const isSignedIn = Boolean(session.data)

  const hasInvitation = Boolean(invitation.data)
  const canLeave = isSignedIn && !invitation.isPending

  useEffect(() => {
    if (canLeave) leaveSignIn(hasInvitation)
  }, [canLeave, hasInvitation])

  if (session.isPending || invitation.isPending || isSignedIn) {
    return (
      <Page heading="Sign in">
        <Loading />
      </Page>
    )
  }
  const pending = invitation.data?.addressKnown ? invitation.data.invitation : undefined
  const notice = noticeOnArrival()
  return (
    <Page
      heading="Sign in"
      lead={leadFor(pending?.organizationName, next)}
      after={invitation.data && !pending && <Link to="/sign-up">Create an account with your invitation</Link>}
    >
      {notice && <Notice kind="success">{notice}</Notice>}
      <SignInForm email={pending?.email ?? ''} hasInvitation={hasInvitation} />
    </Page>
  )
}

function leadFor(organizationName: string | undefined, next: string | null): string | undefined {
  if (next !== null) return `to go on to ${new URL(next).host}`
  return organizationName === undefined ? undefined : `to join ${organizationName}`
}
