import { useMutation, useQuery } from '@tanstack/react-query'
import { addPasskey, canUsePasskeys } from '../shared/api/passkeys.ts'
import { queryClient } from '../shared/api/queries.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Loading } from '../shared/components/Loading.tsx'
import { PasskeyRow } from './PasskeyRow.tsx'
import { passkeysQuery } from './queries.ts'

export function PasskeySection() {
  const { data: passkeys, error, isPending, refetch } = useQuery(passkeysQuery)
  const add = useMutation({ mutationFn: addPasskey, onSuccess: () => queryClient.invalidateQueries(passkeysQuery) })
  return (
    <section className="card" aria-labelledby="passkeys">
      <h2 id="passkeys">Passkeys</h2>
      <p className="soft">
        With a passkey you sign in with your fingerprint, your face or the PIN of your device. It can’t be guessed, and
        a fake page can’t steal it.
      </p>
      {isPending && <Loading />}
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
