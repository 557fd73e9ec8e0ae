import { useEffect } from 'react'
import { addGuardEntry, hasAgreedToGoBack } from './guard-entry.ts'

const QUESTION = 'This page shows something only once. Leave without storing it?'

/**
 * Asks before a page is left whose content is not shown again: by the browser, by Back, and for `mayLeave` within the
 * pages.
 */
export function useWarningBeforeLeaving(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded) return
    const warn = (event: BeforeUnloadEvent) => {
      if (!hasAgreedToGoBack()) event.preventDefault()
    }
    const ask = (event: Event) => {
      if (!confirm(QUESTION)) event.preventDefault()
    }
    addGuardEntry()
    addEventListener('beforeunload', warn)
    addEventListener('leave', ask)
    return () => {
      removeEventListener('beforeunload', warn)
      removeEventListener('leave', ask)
    }
  }, [isNeeded])
}
