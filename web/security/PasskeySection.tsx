import { type UseQueryResult, useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { canUsePasskeys } from '../shared/api/passkey-sign-in.ts'
import { addPasskey, type Passkey } from '../shared/api/passkeys.ts'
import { refreshPages, settingsQuery } from '../shared/api/queries.ts'
import { signalPasskeys } from '../shared/api/signal-passkeys.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Skeleton } from '../shared/components/Skeleton.tsx'
import { PasskeyRow } from './PasskeyRow.tsx'

type PasskeySectionProps = { userId: string; query: UseQueryResult<Passkey[]> }

export function PasskeySection({ userId, query }: PasskeySectionProps) {
  const { data: passkeys, error, isPending, refetch } = query
  // The service may have stored the passkey although its response was lost.
  const add = useMutation({ mutationFn: addPasskey, onSettled: refreshPages })
  // A list from the cache may lack a passkey of another tab. A list that is read during a ceremony may lack the new one.
  const isComplete = query.isSuccess && query.isFetchedAfterMount && !query.isFetching && !add.isPending
  useSignal(userId, isComplete ? passkeys : undefined)

  return (
    <section className="card" aria-labelledby="passkeys">
      <h2 id="passkeys">Passkeys</h2>
      <p className="soft">
        With a passkey you sign in with your fingerprint, your face or the PIN of your device. It can’t be guessed, and
        a fake page can’t steal it.
      </p>
      {isPending && <Skeleton lines={2} />}
      {error && <FailureNotice error={error} retry={refetch} />}
      <ul className="rows">
        {passkeys?.map((passkey) => (
          <PasskeyRow key={passkey.id} passkey={passkey} />
        ))}
      </ul>
      {add.error && <FailureNotice error={add.error} />}
      {canUsePasskeys && (
        <ActionButton
          kind="quiet"
          isPending={add.isPending}
          pendingLabel="Follow your browser…"
          onPress={() => add.mutate()}
        >
          Add a passkey
        </ActionButton>
      )}
    </section>
  )
}

/** @param passkeys the complete list, because an authenticator deletes each passkey that is not in it */
function useSignal(userId: string, passkeys: Passkey[] | undefined): void {
  const { data: settings } = useQuery(settingsQuery)
  useEffect(() => {
    if (settings && passkeys)
      signalPasskeys(
        settings.relyingPartyId,
        userId,
        passkeys.map(({ credentialID }) => credentialID),
      )
  }, [settings, passkeys, userId])
}
