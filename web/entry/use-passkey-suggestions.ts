import { useEffect, useEffectEvent } from 'react'
import { canUsePasskeys, signInWithPasskey } from '../shared/api/passkey-sign-in.ts'

// A challenge expires after five minutes.
const RENEWAL_MILLISECONDS = 4 * 60_000

/**
 * Lets the browser suggest passkeys at the field with autocomplete="webauthn" (conditional mediation, WebAuthn, section
 * 5.1.4). Errors stay silent, because the form signs in as well.
 */
export function usePasskeySuggestions(rememberMe: () => boolean, onSignedIn: () => void): void {
  const goOn = useEffectEvent(onSignedIn)
  const isKept = useEffectEvent(rememberMe)

  useEffect(() => {
    if (!canUsePasskeys) return
    let isShown = true
    const suggest = () => {
      signInWithPasskey({ rememberMe: () => isKept(), autoFill: true }).then(
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
  }, [])
}
