import { useMutation } from '@tanstack/react-query'
import { canUsePasskeys, signInWithPasskey } from '../api/passkeys.ts'
import { ActionButton } from './ActionButton.tsx'
import { FailureNotice } from './FailureNotice.tsx'

type PasskeyButtonProps = { kind?: 'main' | 'quiet'; label: string; onDone: () => void }

export function PasskeyButton({ kind = 'quiet', label, onDone }: PasskeyButtonProps) {
  const { mutate, isPending, error } = useMutation({ mutationFn: () => signInWithPasskey(), onSuccess: onDone })
  if (!canUsePasskeys) return null
  return (
    <>
      {error && <FailureNotice error={error} />}
      <ActionButton kind={kind} isPending={isPending} pendingLabel="Follow your browser…" onPress={() => mutate()}>
        {label}
      </ActionButton>
    </>
  )
}
