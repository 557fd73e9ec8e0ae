import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Link, useLocation } from 'wouter'
import { invitationQuery } from '../invitations/queries.ts'
import { sessionQuery } from '../shared/api/queries.ts'
import { Loading } from '../shared/components/Loading.tsx'
import { Notice } from '../shared/components/Notice.tsx'
import { Page } from '../shared/components/Page.tsx'
import { handover } from '../shared/routing/handover.ts'
import { nextOrigin } from '../shared/routing/next-origin.ts'
import { leaveSignIn } from './leave-sign-in.ts'
import { SignInForm } from './SignInForm.tsx'

export function SignIn() {
  const [, navigate] = useLocation()
  const session = useQuery(sessionQuery)
  const invitation = useQuery(invitationQuery)
  const next = nextOrigin()
  const isSignedIn = Boolean(session.data)

  const hasInvitation = Boolean(invitation.data)
  const canLeave = isSignedIn && !invitation.isPending

  useEffect(() => {
    if (canLeave) leaveSignIn(navigate, hasInvitation)
  }, [canLeave, navigate, hasInvitation])

  if (session.isPending || invitation.isPending || isSignedIn) {
    return (
      <Page heading="Sign in">
        <Loading />
      </Page>
    )
  }
  const pending = invitation.data?.addressKnown ? invitation.data.invitation : undefined
  const { notice, email } = handover()
  return (
    <Page
      heading="Sign in"
      lead={leadFor(pending?.organizationName, next)}
      after={invitation.data && !pending && <Link href="/sign-up">Create an account with your invitation</Link>}
    >
      {notice && <Notice kind="success">{notice}</Notice>}
      <SignInForm email={pending?.email ?? email ?? ''} hasInvitation={hasInvitation} />
    </Page>
  )
}

function leadFor(organizationName: string | undefined, next: string | null): string | undefined {
  if (next !== null) return `to go on to ${new URL(next).host}`
  return organizationName === undefined ? undefined : `to join ${organizationName}`
}
