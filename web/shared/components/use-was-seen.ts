import { useEffect, useState } from 'react'

/** Longer than the pause of a double click. */
const SEEN_MILLISECONDS = 500

/**
 * Whether a control was shown for half a second without a press, in a visible window with the focus. Against
 * clickjacking: a window of another site may cover this one and close itself at the first of several clicks. The next
 * clicks hit this page.
 */
export function useWasSeen(): boolean {
  const [wasSeen, setWasSeen] = useState(false)

  useEffect(() => {
    let timer: number | undefined
    function forget() {
      clearTimeout(timer)
      timer = undefined
      setWasSeen(false)
    }
    function see() {
      timer = undefined
      setWasSeen(true)
    }
    function beginAgain() {
      forget()
      if (document.visibilityState === 'visible' && document.hasFocus())
        timer = window.setTimeout(see, SEEN_MILLISECONDS)
    }
    function press() {
      if (timer !== undefined) beginAgain()
    }
    beginAgain()
    addEventListener('pointerdown', press)
    addEventListener('focus', beginAgain)
    addEventListener('visibilitychange', beginAgain)
    addEventListener('blur', forget)
    return () => {
      clearTimeout(timer)
      removeEventListener('pointerdown', press)
      removeEventListener('focus', beginAgain)
      removeEventListener('visibilitychange', beginAgain)
      removeEventListener('blur', forget)
    }
  }, [])

  return wasSeen
}
