import { useMutation } from '@tanstack/react-query'
import { authentication } from '../shared/api/authentication.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Notice } from '../shared/components/Notice.tsx'

/** Has the letter sent that confirms the address; until then the account can do little. */
export function UnverifiedEmail({ email }: { email: string }) {
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () => authentication.sendVerificationEmail({ email }),
  })
  return (
    <section className="card" aria-labelledby="unconfirmed">
      <h2 id="unconfirmed">Confirm your email address</h2>
      <p>Until you do, you can’t join or create organizations. We send you a letter with a link that does it.</p>
      {error && <FailureNotice error={error} />}
      {isSuccess && <Notice kind="success">The letter is on its way to {email}. Its link works for a day.</Notice>}
      <ActionButton isPending={isPending} pendingLabel="Sending…" onPress={() => mutate()}>
        {isSuccess ? 'Send another letter' : 'Send the letter'}
      </ActionButton>
    </section>
  )
}
