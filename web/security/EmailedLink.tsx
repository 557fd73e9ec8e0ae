import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { DoneNotice } from '../shared/components/DoneNotice.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'

type EmailedLinkProps = { offer: ReactNode; sentNotice: string; send: () => Promise<unknown> }

export function EmailedLink({ offer, sentNotice, send }: EmailedLinkProps) {
  const { mutate, isPending, isSuccess, error } = useMutation({ mutationFn: send })
  return (
    <>
      <DoneNotice>{isSuccess && sentNotice}</DoneNotice>
      {!isSuccess && (
        <>
          {offer}
          {error && <FailureNotice error={error} />}
          <ActionButton kind="quiet" isPending={isPending} pendingLabel="Sending…" onPress={() => mutate()}>
            Send me the link
          </ActionButton>
        </>
      )}
    </>
  )
}
