import { useMutation } from '@tanstack/react-query'
import { type Answer, answerInvitation } from '../api/answer-invitation.ts'
import { useCaller } from '../api/caller.ts'
import { refreshPages } from '../api/queries.ts'
import { ActionButton } from './ActionButton.tsx'
import { FailureNotice } from './FailureNotice.tsx'
import { useWasSeen } from './use-was-seen.ts'

type InvitationButtonsProps = { invitation: { id: string; organizationName: string } }

/** Join and Decline, once the user has seen them. While one answer is pending, the other button does nothing. */
export function InvitationButtons({ invitation: { id, organizationName } }: InvitationButtonsProps) {
  const { session } = useCaller()
  const wasSeen = useWasSeen()
  const { mutate, isPending, error, variables } = useMutation({
    mutationFn: (answer: Answer) => answerInvitation(id, answer),
    onSuccess: refreshPages,
  })
  const answer = (given: Answer) => !isPending && mutate(given)
  // The service refuses both to staff who impersonate a user.
  if (session.impersonatedBy) return <p className="hint">Only the user can join or decline.</p>

  return (
    <>
      {error && <FailureNotice error={error} />}
      <ActionButton
        isPending={isPending && variables === 'accept'}
        isOff={isPending && variables !== 'accept'}
        pendingLabel="Joining…"
        wasSeen={wasSeen}
        onPress={() => answer('accept')}
      >
        Join<span className="visually-hidden"> {organizationName}</span>
      </ActionButton>
      <ActionButton
        kind="quiet"
        isPending={isPending && variables === 'reject'}
        isOff={isPending && variables !== 'reject'}
        pendingLabel="Declining…"
        wasSeen={wasSeen}
        onPress={() => answer('reject')}
      >
        Decline<span className="visually-hidden"> {organizationName}</span>
      </ActionButton>
    </>
  )
}
