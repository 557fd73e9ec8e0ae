import { useEffect } from 'react'

const QUESTION = 'What you see here is shown only once. Leave without storing it?'

/** Asks before a page is left whose content is not shown again: by the browser, and for `mayLeave` within the pages. */
export function useWarningBeforeLeaving(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    const ask = (event: Event) => {
      if (!confirm(QUESTION)) event.preventDefault()
    }
    addEventListener('beforeunload', warn)
    addEventListener('leave', ask)
    return () => {
      removeEventListener('beforeunload', warn)
      removeEventListener('leave', ask)
    }
  }, [isNeeded])
}
