import { useMutation } from '@tanstack/react-query'
import { authentication } from '../shared/api/authentication.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { DoneNotice } from '../shared/components/DoneNotice.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { withDestination } from '../shared/routing/with-destination.ts'

export function NoPassword({ email }: { email: string }) {
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () => authentication.requestPasswordReset({ email, redirectTo: withDestination('/reset-password') }),
  })
  return (
    <>
      <DoneNotice>{isSuccess && `An email is on its way to ${email}. Its link works for an hour.`}</DoneNotice>
      {!isSuccess && (
        <>
          <p>If you want a password as well, we’ll send you a link to choose it.</p>
          {error && <FailureNotice error={error} />}
          <ActionButton kind="quiet" isPending={isPending} pendingLabel="Sending…" onPress={() => mutate()}>
            Send me the link
          </ActionButton>
        </>
      )}
    </>
  )
}
