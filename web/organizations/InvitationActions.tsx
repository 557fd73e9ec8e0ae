import { useMutation } from '@tanstack/react-query'
import { refreshPages } from '../shared/api/queries.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { DoneNotice } from '../shared/components/DoneNotice.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { InlineConfirm } from '../shared/forms/InlineConfirm.tsx'
import { cancelInvitation, OUTDATED_ROW, sendAgain } from './change-invitation.ts'
import { lastEvent } from './describe-invitation.ts'
import type { Invitation } from './queries.ts'

/** After an email that was not delivered, `CorrectAddress` sends it again. */
export function InvitationActions({ invitation }: { invitation: Invitation }) {
  const again = useMutation({
    mutationFn: () => sendAgain(invitation),
    onSuccess: refreshPages,
  })
  return (
    <>
      {again.error && <FailureNotice error={again.error} sentences={OUTDATED_ROW} />}
      <DoneNotice>{again.isSuccess && 'A new link is on its way. The old one has stopped working.'}</DoneNotice>
      <div className="buttons">
        {lastEvent(invitation) !== 'failed' && (
          <ActionButton kind="quiet" isPending={again.isPending} pendingLabel="Sending…" onPress={() => again.mutate()}>
            Send again<span className="visually-hidden"> to {invitation.email}</span>
          </ActionButton>
        )}
        <InlineConfirm
          label="Cancel…"
          about={`the invitation of ${invitation.email}`}
          question={
            <>
              Cancel the invitation of <strong>{invitation.email}</strong>? Its link stops working. You can invite the
              address again.
            </>
          }
          confirmLabel="Cancel the invitation"
          pendingLabel="Canceling…"
          action={() => cancelInvitation(invitation)}
          onDone={refreshPages}
        />
      </div>
    </>
  )
}
