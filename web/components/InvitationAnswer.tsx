import { useMutation } from '@tanstack/react-query'
import { authentication } from '../api/authentication.ts'
import type { Invitation } from '../api/own-endpoints.ts'
import { forgetVisitor } from '../api/queries.ts'
import { ActionButton } from './ActionButton.tsx'
import { FailureNotice } from './FailureNotice.tsx'
import { InvitationSummary } from './InvitationSummary.tsx'
import { Page } from './Page.tsx'

type Answer = 'joined' | 'declined'

type InvitationAnswerProps = {
  invitation: Invitation
  user: { name: string; email: string }
  onAnswer: (answer: Answer) => void
}

/** Join or decline. While one is under way the other does nothing. */
export function InvitationAnswer({ invitation, user, onAnswer }: InvitationAnswerProps) {
  const { mutate, isPending, error, variables } = useMutation({
    mutationFn: async (answer: Answer) => {
      const { organization } = authentication
      const body = { invitationId: invitation.id }
      await (answer === 'joined' ? organization.acceptInvitation(body) : organization.rejectInvitation(body))
    },
    onSuccess: (_nothing, answer) => {
      forgetVisitor()
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
          isPending={isPending && variables === 'joined'}
          pendingLabel="Joining…"
          onPress={() => answer('joined')}
        >
          Join {invitation.organizationName}
        </ActionButton>
        <ActionButton
          kind="quiet"
          isPending={isPending && variables === 'declined'}
          pendingLabel="Declining…"
          onPress={() => answer('declined')}
        >
          Decline
        </ActionButton>
      </div>
    </Page>
  )
}
