import { useEffect, useEffectEvent } from 'react'
import { canUsePasskeys, signInWithPasskey } from '../shared/api/passkeys.ts'

// The service takes an answer for five minutes after the question.
const RENEWAL_MILLISECONDS = 4 * 60_000

/**
 * Lets the browser suggest passkeys at the field with autocomplete="webauthn" (conditional mediation, WebAuthn, section
 * 5.1.4). Where it can't, or nothing comes of it, the form is there.
 */
export function usePasskeySuggestions(onSignedIn: () => void): void {
  const goOn = useEffectEvent(onSignedIn)

  useEffect(() => {
    if (!canUsePasskeys) return
    let isShown = true
    const suggest = () => {
      signInWithPasskey(true).then(
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
