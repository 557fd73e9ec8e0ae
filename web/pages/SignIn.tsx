import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { invitationQuery, sessionQuery } from '../api/queries.ts'
import { Loading } from '../components/Loading.tsx'
import { Notice } from '../components/Notice.tsx'
import { Page } from '../components/Page.tsx'
import { SignInForm } from '../components/SignInForm.tsx'
import { Link } from '../routing/Link.tsx'
import { noticeOnArrival } from '../routing/navigation.ts'
import { nextOrigin } from '../routing/next-origin.ts'
import { Redirect } from '../routing/Redirect.tsx'

export function SignIn() {
  const session = useQuery(sessionQuery)
  const invitation = useQuery(invitationQuery)
  const next = nextOrigin()
  const isSignedIn = Boolean(session.data)

  useEffect(() => {
    if (isSignedIn && next !== null) location.replace(next)
  }, [isSignedIn, next])

  if (session.isPending || invitation.isPending || (isSignedIn && next !== null)) {
    return (
      <Page heading="Sign in">
        <Loading />
      </Page>
    )
  }
  if (isSignedIn) return <Redirect to={invitation.data ? '/invitation' : '/account'} />
  const pending = invitation.data?.addressKnown ? invitation.data.invitation : undefined
  const notice = noticeOnArrival()
  return (
    <Page
      heading="Sign in"
      lead={leadFor(pending?.organizationName, next)}
      after={invitation.data && !pending && <Link to="/sign-up">Create an account with your invitation</Link>}
    >
      {notice && <Notice kind="success">{notice}</Notice>}
      <SignInForm email={pending?.email ?? ''} hasInvitation={Boolean(invitation.data)} next={next} />
    </Page>
  )
}

function leadFor(organizationName: string | undefined, next: string | null): string | undefined {
  if (organizationName !== undefined) return `to join ${organizationName}`
  return next === null ? undefined : `to go on to ${new URL(next).host}`
}
