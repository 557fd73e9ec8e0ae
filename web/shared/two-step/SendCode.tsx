import { useMutation } from '@tanstack/react-query'
import { sendCode } from '../api/two-step.ts'
import { ActionButton } from '../components/ActionButton.tsx'
import { DoneNotice } from '../components/DoneNotice.tsx'
import { FailureNotice } from '../components/FailureNotice.tsx'
import { REPEATABLE } from '../format/failure-sentence.ts'
import type { CodeFormProps } from './CodeForm.tsx'
import { expiryOf } from './expiry.ts'
import { LOCKED } from './locked-sentence.ts'

type SendCodeProps = {
  email: string
  isSent: boolean
  onSent?: () => void
  onExpired?: CodeFormProps['onExpired'] | undefined
}

/** Emails a code. A later click emails another code. */
export function SendCode({ email, isSent, onSent, onExpired }: SendCodeProps) {
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: sendCode,
    onSuccess: () => onSent?.(),
    onError: (failure) => {
      const reason = expiryOf(failure)
      if (reason !== undefined) onExpired?.(reason)
    },
  })
  return (
    <>
      <DoneNotice>{isSuccess && `A code is on its way to ${email}. Only the newest one works.`}</DoneNotice>
      {error && <FailureNotice error={error} sentences={{ ...REPEATABLE, ...LOCKED }} />}
      <ActionButton kind="quiet" isPending={isPending} pendingLabel="Sending…" onPress={() => mutate()}>
        {isSent ? 'Send another code' : 'Send the code'}
      </ActionButton>
    </>
  )
}
