import { useMutation } from '@tanstack/react-query'
import { type Answer, answerInvitation } from '../shared/api/answer-invitation.ts'
import { forgetSession } from '../shared/api/tabs.ts'
import { AnswerButtons } from '../shared/components/AnswerButtons.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Page } from '../shared/components/Page.tsx'
import { isolated } from '../shared/format/isolated.ts'
import { InvitationSummary } from './InvitationSummary.tsx'
import type { Invitation } from './queries.ts'

type InvitationAnswerProps = {
  invitation: Invitation
  user: { name: string; email: string }
  onAnswer: (answer: Answer) => void
}

/** While one answer is pending, the other button does nothing. */
export function InvitationAnswer({ invitation, user, onAnswer }: InvitationAnswerProps) {
  const { mutate, isPending, error, variables } = useMutation({
    mutationFn: (answer: Answer) => answerInvitation(invitation.id, answer),
    onSuccess: (_nothing, answer) => {
      forgetSession()
      onAnswer(answer)
    },
  })

  return (
    <Page
      heading={`Join ${invitation.organizationName}?`}
      lead={`You are signed in as ${isolated(user.name)} (${user.email}).`}
    >
      <InvitationSummary invitation={invitation} />
      {error && <FailureNotice error={error} />}
      <AnswerButtons
        yes={{ label: `Join ${invitation.organizationName}`, pendingLabel: 'Joining…' }}
        no={{ label: 'Decline', pendingLabel: 'Declining…' }}
        pending={isPending ? variables === 'accept' : undefined}
        onAnswer={(isYes) => !isPending && mutate(isYes ? 'accept' : 'reject')}
      />
    </Page>
  )
}
