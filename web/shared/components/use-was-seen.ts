import { useEffect, useState } from 'react'

/** Longer than the pause of a double click. */
const SEEN_MILLISECONDS = 500

/**
 * Whether the user has seen a control: it has been shown for half a second, in a visible window with the focus. A window
 * of another site may cover this one, and close itself at the first click of a double click. The second one hits here.
 */
export function useWasSeen(): boolean {
  const [wasSeen, setWasSeen] = useState(false)

  useEffect(() => {
    let timer: number | undefined
    function forget() {
      clearTimeout(timer)
      setWasSeen(false)
    }
    function beginAgain() {
      forget()
      if (document.visibilityState === 'visible' && document.hasFocus())
        timer = window.setTimeout(() => setWasSeen(true), SEEN_MILLISECONDS)
    }
    beginAgain()
    addEventListener('focus', beginAgain)
    addEventListener('visibilitychange', beginAgain)
    addEventListener('blur', forget)
    return () => {
      clearTimeout(timer)
      removeEventListener('focus', beginAgain)
      removeEventListener('visibilitychange', beginAgain)
      removeEventListener('blur', forget)
    }
  }, [])

  return wasSeen
}
