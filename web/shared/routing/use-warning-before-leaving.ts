import { useEffect } from 'react'

/** The number of shown contents that are not shown again. */
let shownOnce = 0

/** The browser asks before a page is left whose content is not shown again, and `mayLeave` asks within the pages. */
export function useWarningBeforeLeaving(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    shownOnce += 1
    return () => {
      removeEventListener('beforeunload', warn)
      shownOnce -= 1
    }
  }, [isNeeded])
}

/** Asks the user if a content would be lost. */
export function mayLeave(): boolean {
  return shownOnce === 0 || confirm('What you see here is shown only once. Leave without storing it?')
}
