import { useEffect, useRef } from 'react'
import { addGuardEntry } from './guard-entry.ts'
import { mayLeave } from './may-leave.ts'

const QUESTION = 'What you see here is shown only once. Leave without storing it?'

/**
 * Asks before a page is left whose content is not shown again: by the browser, by Back, and for `mayLeave` within the
 * pages.
 */
export function useWarningBeforeLeaving(isNeeded: boolean): void {
  const hasAgreed = useRef(false)

  useEffect(() => {
    if (!isNeeded) return
    const warn = (event: BeforeUnloadEvent) => {
      if (!hasAgreed.current) event.preventDefault()
    }
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

  useEffect(
    () =>
      addGuardEntry(() => {
        // Back may lead to another site, and the browser would ask again.
        hasAgreed.current = mayLeave()
        return hasAgreed.current
      }),
    [],
  )
}
