import { useEffect, useState } from 'react'
import { signInAgain } from '../shared/api/questions.ts'

/**
 * Whether the palette is open. Ctrl-K or ⌘-K opens the palette, but not over a dialog: the dialog of an ended session
 * hides the data of a user who may have left.
 */
export function usePalette(): { isOpen: boolean; open: () => void; close: () => void } {
  const [isOpen, setOpen] = useState(false)

  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      if (!hasDialog()) setOpen(true)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])

  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) }
}

/** Counts a dialog whose code is still loading, too. */
function hasDialog(): boolean {
  return signInAgain.isPending() || document.querySelector('dialog[open]') !== null
}
