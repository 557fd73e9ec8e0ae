import type { AuthenticationResponseJSON } from '@simplewebauthn/browser'
import { type RefObject, useEffect, useEffectEvent } from 'react'
import { canUsePasskeys, choosePasskey, signInWithChosen } from '../shared/api/passkey-sign-in.ts'

// A challenge expires after five minutes.
const RENEWAL_MILLISECONDS = 4 * 60_000

type PasskeySuggestions = {
  /** While a dialog of the browser asks for a passkey: a suggestion would close the dialog. */
  isPaused: boolean
  isKept: RefObject<boolean>
  onSignedIn: () => void
  /** The service has refused the passkey that the user chose, or no response came. */
  onFailed: (error: unknown) => void
}

/**
 * Lets the browser suggest passkeys at the field with autocomplete="webauthn" (conditional mediation, WebAuthn, section
 * 5.1.4). Errors before the user has chosen a passkey stay silent, because the form signs in as well.
 */
export function usePasskeySuggestions({ isPaused, isKept, onSignedIn, onFailed }: PasskeySuggestions): void {
  const goOn = useEffectEvent(onSignedIn)
  const explain = useEffectEvent(onFailed)

  useEffect(() => {
    if (!canUsePasskeys || isPaused) return
    let isShown = true
    const suggest = () => {
      choosePasskey(() => isShown).then(signIn, () => {})
    }
    const signIn = (response: AuthenticationResponseJSON) =>
      signInWithChosen(response, isKept.current).then(
        () => isShown && goOn(),
        (error) => {
          if (!isShown) return
          explain(error)
          suggest()
        },
      )
    suggest()
    const renewal = setInterval(suggest, RENEWAL_MILLISECONDS)
    return () => {
      isShown = false
      clearInterval(renewal)
    }
  }, [isPaused, isKept])
}
