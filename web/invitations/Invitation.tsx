import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Redirect } from 'wouter'
import type { Answer } from '../shared/api/answer-invitation.ts'
import { sessionQuery } from '../shared/api/queries.ts'
import { RequestFailed } from '../shared/api/request-failed.ts'
import { AccountLink } from '../shared/components/AccountLink.tsx'
import { Loading } from '../shared/components/Loading.tsx'
import { Page } from '../shared/components/Page.tsx'
import { InvitationAnswer } from './InvitationAnswer.tsx'
import { InvitationForAnother } from './InvitationForAnother.tsx'
import { InvitationProblem } from './InvitationProblem.tsx'
import { invitationQuery } from './queries.ts'
import { Welcome } from './Welcome.tsx'

export function Invitation() {
  const session = useQuery(sessionQuery)
  const invitation = useQuery(invitationQuery)
  const [answer, setAnswer] = useState<{ given: Answer; organizationName: string } | null>(null)
  const reason = new URLSearchParams(location.search).get('error')

  if (reason !== null) return <InvitationProblem error={refusal(reason)} retry={invitation.refetch} />
  if (answer?.given === 'accept') return <Welcome organizationName={answer.organizationName} />
  if (answer?.given === 'reject') return <Rejected organizationName={answer.organizationName} />
  if (session.isPending || invitation.isPending) {
    return (
      <Page heading="Your invitation">
        <Loading />
      </Page>
    )
  }
  const error = invitation.error ?? session.error
  // The explanation of a lost answer must stay when the connection is lost.
  const isShown = invitation.data !== undefined && session.data !== undefined
  if (error && !(isShown && RequestFailed.from(error).status === 0))
    return <InvitationProblem error={error} retry={() => Promise.all([session.refetch(), invitation.refetch()])} />
  if (!invitation.data) return <InvitationProblem error={refusal('INVITATION_NOT_FOUND')} retry={invitation.refetch} />
  if (!session.data) return <Redirect to="/sign-in" replace />
  const { invitation: pending } = invitation.data
  const { user } = session.data
  if (user.email !== pending.email) return <InvitationForAnother invitation={pending} user={user} />
  return (
    <InvitationAnswer
      invitation={pending}
      user={user}
      onAnswer={(given) => setAnswer({ given, organizationName: pending.organizationName })}
    />
  )
}

function Rejected({ organizationName }: { organizationName: string }) {
  return (
    <Page heading="Invitation declined" lead={`You haven’t joined ${organizationName}. Nothing else changed.`}>
      <AccountLink />
    </Page>
  )
}

function refusal(code: string): RequestFailed {
  return new RequestFailed({
    status: 400,
    code,
    message: 'This invitation can’t be used. Ask for a new one.',
  })
}
