import { useMutation } from '@tanstack/react-query'
import { sendCode } from '../api/two-step.ts'
import { ActionButton } from '../components/ActionButton.tsx'
import { FailureNotice } from '../components/FailureNotice.tsx'
import { Notice } from '../components/Notice.tsx'

type SendCodeProps = { email: string; isSent: boolean; onSent?: () => void }

/** Emails a code, or another one. */
export function SendCode({ email, isSent, onSent }: SendCodeProps) {
  const { mutate, isPending, isSuccess, error } = useMutation({ mutationFn: sendCode, onSuccess: () => onSent?.() })
  return (
    <>
      {isSuccess && <Notice kind="success">A code is on its way to {email}. Only the newest one works.</Notice>}
      {error && <FailureNotice error={error} />}
      <ActionButton kind="quiet" isPending={isPending} pendingLabel="Sending…" onPress={() => mutate()}>
        {isSent ? 'Send another code' : 'Send the code'}
      </ActionButton>
    </>
  )
}
