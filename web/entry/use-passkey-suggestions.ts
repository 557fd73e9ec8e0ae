import { useEffect, useEffectEvent } from 'react'
import { canUsePasskeys, signInWithPasskey } from '../shared/api/passkey-sign-in.ts'

// A challenge expires after five minutes.
const RENEWAL_MILLISECONDS = 4 * 60_000

type PasskeySuggestions = {
  /** While a dialog of the browser asks for a passkey: a suggestion would close the dialog. */
  isPaused: boolean
  rememberMe: () => boolean
  onSignedIn: () => void
}

/**
 * Lets the browser suggest passkeys at the field with autocomplete="webauthn" (conditional mediation, WebAuthn, section
 * 5.1.4). Errors stay silent, because the form signs in as well.
 */
export function usePasskeySuggestions({ isPaused, rememberMe, onSignedIn }: PasskeySuggestions): void {
  const goOn = useEffectEvent(onSignedIn)
  const isKept = useEffectEvent(rememberMe)

  useEffect(() => {
    if (!canUsePasskeys || isPaused) return
    let isShown = true
    const suggest = () => {
      signInWithPasskey({ rememberMe: () => isKept(), isSuggested: () => isShown }).then(
        () => isShown && goOn(),
        () => {},
      )
    }
    suggest()
    const renewal = setInterval(suggest, RENEWAL_MILLISECONDS)
    return () => {
      isShown = false
      clearInterval(renewal)
    }
  }, [isPaused])
}
