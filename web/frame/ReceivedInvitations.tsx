import { useMutation } from '@tanstack/react-query'
import { authentication } from '../shared/api/authentication.ts'
import { queryClient } from '../shared/api/queries.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { RailGroup } from './RailGroup.tsx'
import { useReceivedInvitations } from './use-received-invitations.ts'

type Answer = 'accept' | 'reject'

export function ReceivedInvitations() {
  const invitations = useReceivedInvitations()
  if (invitations.length === 0) return null
  return (
    <RailGroup label="Invitations to you">
      {invitations.map(({ id, organizationName }) => (
        <ReceivedInvitation key={id} id={id} organizationName={organizationName} />
      ))}
    </RailGroup>
  )
}

/** While one answer is pending, the other button does nothing. */
function ReceivedInvitation({ id, organizationName }: { id: string; organizationName: string }) {
  const { mutate, isPending, error, variables } = useMutation({
    mutationFn: async (answer: Answer) => {
      const body = { invitationId: id }
      const { organization } = authentication
      await (answer === 'accept' ? organization.acceptInvitation(body) : organization.rejectInvitation(body))
    },
    onSuccess: () => queryClient.invalidateQueries(),
  })
  const answer = (given: Answer) => !isPending && mutate(given)

  return (
    <li className="rail-invitation">
      <p>{organizationName}</p>
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
    </li>
  )
}
