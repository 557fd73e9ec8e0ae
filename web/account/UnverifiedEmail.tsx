import { useMutation } from '@tanstack/react-query'
import { authentication } from '../shared/api/authentication.ts'
import { useCaller } from '../shared/api/caller.ts'
import { useMayCreateOrganizations } from '../shared/api/organization-creation.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { DoneNotice } from '../shared/components/DoneNotice.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'

export function UnverifiedEmail({ email }: { email: string }) {
  const { session } = useCaller()
  const mayCreate = useMayCreateOrganizations()
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () => authentication.sendVerificationEmail({ email }),
  })
  return (
    <section className="card" aria-labelledby="unverified">
      <h2 id="unverified">Verify your email address</h2>
      <p>
        Until then you can’t {mayCreate ? 'join or create' : 'join'} organizations. We’ll send you an email with a link.
      </p>
      {error && <FailureNotice error={error} />}
      <DoneNotice>{isSuccess && `The email is on its way to ${email}. Its link works for a day.`}</DoneNotice>
      {session.impersonatedBy ? (
        <p className="hint">Only the user can ask for the email.</p>
      ) : (
        <ActionButton isPending={isPending} pendingLabel="Sending…" onPress={() => mutate()}>
          {isSuccess ? 'Send another email' : 'Send the email'}
        </ActionButton>
      )}
    </section>
  )
}
