import { useMutation } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { authentication } from '../api/authentication.ts'
import { RequestFailed } from '../api/request-failed.ts'
import { forgetSession } from '../api/tabs.ts'
import { REPEATABLE } from '../format/failure-sentence.ts'
import { mayLeave } from '../routing/may-leave.ts'
import { ActionButton } from './ActionButton.tsx'
import { FailureNotice } from './FailureNotice.tsx'

type SignOutButtonProps = { kind?: 'main' | 'quiet'; label?: string; destination?: string }

export function SignOutButton({ kind = 'quiet', label = 'Sign out', destination = '/sign-in' }: SignOutButtonProps) {
  const [, navigate] = useLocation()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => authentication.signOut(),
    // The session may have ended although the response was lost. Another sign-out then succeeds, too.
    retry: (failures, error) => failures === 0 && RequestFailed.from(error).code === 'NO_RESPONSE',
    onSuccess: () => {
      forgetSession()
      navigate(destination, { replace: true })
    },
  })
  return (
    <>
      {error && <FailureNotice error={error} sentences={REPEATABLE} />}
      <ActionButton
        kind={kind}
        isPending={isPending}
        pendingLabel="Signing out…"
        onPress={() => mayLeave() && mutate()}
      >
        {label}
      </ActionButton>
    </>
  )
}
