import { useMutation } from '@tanstack/react-query'
import { authentication } from '../api/authentication.ts'
import { useCaller } from '../api/caller.ts'
import { queryClient } from '../api/queries.ts'
import { ActionButton } from './ActionButton.tsx'
import { FailureNotice } from './FailureNotice.tsx'

type Answer = 'accept' | 'reject'

type InvitationButtonsProps = { invitation: { id: string; organizationName: string } }

/** Join and Decline. While one answer is pending, the other button does nothing. */
export function InvitationButtons({ invitation: { id, organizationName } }: InvitationButtonsProps) {
  const { session } = useCaller()
  const { mutate, isPending, error, variables } = useMutation({
    mutationFn: async (answer: Answer) => {
      const body = { invitationId: id }
      const { organization } = authentication
      await (answer === 'accept' ? organization.acceptInvitation(body) : organization.rejectInvitation(body))
    },
    onSuccess: () => queryClient.invalidateQueries(),
  })
  const answer = (given: Answer) => !isPending && mutate(given)
  // The service refuses both to staff who impersonate a user.
  if (session.impersonatedBy) return <p className="hint">Only the user can join or decline.</p>

  return (
    <>
      {error && <FailureNotice error={error} />}
      <ActionButton
        isPending={isPending && variables === 'accept'}
        pendingLabel="Joining…"
        onPress={() => answer('accept')}
      >
        Join<span className="visually-hidden"> {organizationName}</span>
      </ActionButton>
      <ActionButton
        kind="quiet"
        isPending={isPending && variables === 'reject'}
        pendingLabel="Declining…"
        onPress={() => answer('reject')}
      >
        Decline<span className="visually-hidden"> {organizationName}</span>
      </ActionButton>
    </>
  )
}
