import { useMutation } from '@tanstack/react-query'
import { canUsePasskeys } from '../api/passkey-sign-in.ts'
import { CEREMONY_KEY } from '../api/use-is-sending.ts'
import { REPEATABLE } from '../format/failure-sentence.ts'
import { ActionButton } from './ActionButton.tsx'
import { FailureNotice } from './FailureNotice.tsx'

type PasskeyButtonProps = { kind?: 'main' | 'quiet'; action: () => Promise<unknown>; onDone: () => void }

export function PasskeyButton({ kind = 'quiet', action, onDone }: PasskeyButtonProps) {
  const { mutate, isPending, error } = useMutation({
    mutationKey: CEREMONY_KEY,
    mutationFn: action,
    onSuccess: onDone,
  })
  if (!canUsePasskeys) return null
  return (
    <>
      {error && <FailureNotice error={error} sentences={REPEATABLE} />}
      <ActionButton kind={kind} isPending={isPending} pendingLabel="Follow your browser…" onPress={() => mutate()}>
        Use a passkey
      </ActionButton>
    </>
  )
}
