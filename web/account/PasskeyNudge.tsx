import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { addPasskey, passkeysQuery } from '../shared/api/passkeys.ts'
import type { Caller } from '../shared/api/queries.ts'
import { queryClient } from '../shared/api/queries.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { DoneNotice } from '../shared/components/DoneNotice.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { rememberNudgeDismissed } from './dismissed-nudge.ts'
import { useNudge } from './use-first-cards.ts'

/** A user without a passkey has signed in with a password. The card shows until it is used or dismissed, once for all. */
export function PasskeyNudge(caller: Caller) {
  const [isDismissed, setDismissed] = useState(false)
  const { isShown } = useNudge(caller)
  const add = useMutation({
    mutationFn: addPasskey,
    onSuccess: () => queryClient.invalidateQueries(passkeysQuery),
  })

  function dismiss() {
    rememberNudgeDismissed(caller.user.id)
    setDismissed(true)
  }

  return (
    <>
      <DoneNotice>{add.isSuccess && 'From now on you can sign in with the passkey of this device.'}</DoneNotice>
      {isShown && !isDismissed && !add.isSuccess && <Suggestion add={add} onDismiss={dismiss} />}
    </>
  )
}

type SuggestionProps = { add: UseMutationResult<unknown, Error, void>; onDismiss: () => void }

function Suggestion({ add, onDismiss }: SuggestionProps) {
  return (
    <section className="card" aria-labelledby="nudge">
      <h2 id="nudge">Sign in without your password next time</h2>
      <p className="soft">
        A passkey uses the fingerprint, the face or the PIN of this device. It can’t be guessed, and a fake page can’t
        steal it.
      </p>
      {add.error && <FailureNotice error={add.error} />}
      <div className="buttons">
        <ActionButton isPending={add.isPending} pendingLabel="Follow your browser…" onPress={() => add.mutate()}>
          Add a passkey
        </ActionButton>
        <button type="button" className="button button-quiet" onClick={onDismiss}>
          Not now
        </button>
      </div>
    </section>
  )
}
