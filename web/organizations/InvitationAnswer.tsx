import { useMutation } from '@tanstack/react-query'
import { authentication } from '../shared/api/authentication.ts'
import { clearQueries } from '../shared/api/queries.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Page } from '../shared/components/Page.tsx'
import { InvitationSummary } from './InvitationSummary.tsx'
import type { Invitation } from './queries.ts'

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
      clearQueries()
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
