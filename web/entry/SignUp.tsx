import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, Redirect } from 'wouter'
import { InvitationProblem } from '../invitations/InvitationProblem.tsx'
import { InvitationSummary } from '../invitations/InvitationSummary.tsx'
import { findInvitationProblem } from '../invitations/invitation-problem.ts'
import { type Invitation, invitationQuery } from '../invitations/queries.ts'
import { Welcome } from '../invitations/Welcome.tsx'
import { sessionQuery } from '../shared/api/queries.ts'
import { RequestFailed } from '../shared/api/request-failed.ts'
import { Loading } from '../shared/components/Loading.tsx'
import { Page } from '../shared/components/Page.tsx'
import { interactionId } from '../shared/routing/interaction-id.ts'
import { SignUpForm } from './SignUpForm.tsx'

export function SignUp() {
  const session = useQuery(sessionQuery)
  const invitation = useQuery(invitationQuery)
  const [usedInvitation, setUsedInvitation] = useState<Invitation | null>(null)
  const [joined, setJoined] = useState<string | null>(null)

  if (joined !== null) return <Welcome organizationName={joined} />
  const formFor = (pending: Invitation) => (
    <Page heading="Create your account">
      <InvitationSummary invitation={pending} />
      <SignUpForm
        invitation={pending}
        onSending={(isSending) => setUsedInvitation(isSending ? pending : null)}
        onJoined={() => setJoined(pending.organizationName)}
      />
    </Page>
  )
  // Between the requests of the form, the user is signed in and the invitation may be used up.
  if (usedInvitation !== null) return formFor(usedInvitation)
  if (session.isPending || invitation.isPending) {
    return (
      <Page heading="Create your account">
        <Loading />
      </Page>
    )
  }
  // The form stays while requests fail, unless the invitation can't be used any more.
  const isUnusable = findInvitationProblem(RequestFailed.from(invitation.error).code) !== undefined
  if (invitation.error && (!invitation.data || isUnusable))
    return <InvitationProblem error={invitation.error} retry={invitation.refetch} />
  if (!invitation.data)
    return session.data ? (
      <Redirect to={interactionId() === null ? '/account' : '/sign-in'} replace />
    ) : (
      <SignUpByInvitation />
    )
  if (session.data) return <Redirect to="/invitation" replace />
  if (invitation.data.addressKnown) return <Redirect to="/sign-in" replace />
  return formFor(invitation.data.invitation)
}

function SignUpByInvitation() {
  return (
    <Page
      heading="Sign-up is by invitation"
      lead="Ask an owner or admin of the organization that you want to join to invite you. The email has a link that brings you back here."
      after={<p>Do you have an invitation email? Open its link again: this browser remembers it for an hour.</p>}
    >
      <Link href="/sign-in" className="button button-main">
        Sign in instead
      </Link>
    </Page>
  )
}
