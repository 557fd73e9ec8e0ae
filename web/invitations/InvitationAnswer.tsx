import { useMutation } from '@tanstack/react-query'
import { authentication } from '../shared/api/authentication.ts'
import { forgetSession } from '../shared/api/tabs.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Page } from '../shared/components/Page.tsx'
import { InvitationSummary } from './InvitationSummary.tsx'
import type { Invitation } from './queries.ts'

type Answer = 'accepted' | 'rejected'

type InvitationAnswerProps = {
  invitation: Invitation
  user: { name: string; email: string }
  onAnswer: (answer: Answer) => void
}

/** While one answer is pending, the other button does nothing. */
export function InvitationAnswer({ invitation, user, onAnswer }: InvitationAnswerProps) {
  const { mutate, isPending, error, variables } = useMutation({
    mutationFn: async (answer: Answer) => {
      const { organization } = authentication
      const body = { invitationId: invitation.id }
      await (answer === 'accepted' ? organization.acceptInvitation(body) : organization.rejectInvitation(body))
    },
    onSuccess: (_nothing, answer) => {
      forgetSession()
      onAnswer(answer)
    },
  })
  const answer = (given: Answer) => !isPending && mutate(given)

  return (
    <Page heading={`Join ${invitation.organizationName}?`} lead={`You are signed in as ${user.name} (${user.email}).`}>
      <InvitationSummary invitation={invitation} />
      {error && <FailureNotice error={error} />}
      <div className="actions">
        <ActionButton
          isPending={isPending && variables === 'accepted'}
          pendingLabel="Joining…"
          onPress={() => answer('accepted')}
        >
          Join {invitation.organizationName}
        </ActionButton>
        <ActionButton
          kind="quiet"
          isPending={isPending && variables === 'rejected'}
          pendingLabel="Declining…"
          onPress={() => answer('rejected')}
        >
          Decline
        </ActionButton>
      </div>
    </Page>
  )
}
