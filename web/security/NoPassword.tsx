import { useMutation } from '@tanstack/react-query'
import { authentication } from '../shared/api/authentication.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Notice } from '../shared/components/Notice.tsx'
import { withDestination } from '../shared/routing/with-destination.ts'

export function NoPassword({ email }: { email: string }) {
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () => authentication.requestPasswordReset({ email, redirectTo: withDestination('/reset-password') }),
  })
  if (isSuccess) return <Notice kind="success">An email is on its way to {email}. Its link works for an hour.</Notice>
  return (
    <>
      <p>If you want a password as well, we’ll send you a link to choose it.</p>
      {error && <FailureNotice error={error} />}
      <ActionButton kind="quiet" isPending={isPending} pendingLabel="Sending…" onPress={() => mutate()}>
        Send me the link
      </ActionButton>
    </>
  )
}
