import { useEffect, useState } from 'react'
import { signInAgain } from '../shared/api/questions.ts'
import { isComposing } from '../shared/forms/is-composing.ts'

/**
 * Whether the palette is open. Ctrl-K or ⌘-K opens the palette, but not over a dialog. The dialog of an ended session
 * hides the data of a user who may have left.
 */
export function usePalette(): { isOpen: boolean; open: () => void; close: () => void } {
  const [isOpen, setOpen] = useState(false)

  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || isComposing(event)) return
      event.preventDefault()
      if (hasDialog()) return
      closeSheet()
      setOpen(true)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])

  function open() {
    closeSheet()
    setOpen(true)
  }

  return { isOpen, open, close: () => setOpen(false) }
}

/**
 * On a narrow screen, the navigation is a sheet, which returns the focus to its button when it is closed here. A dialog
 * that opens would close the sheet without returning the focus.
 */
function closeSheet(): void {
  document.querySelector<HTMLElement>(':popover-open')?.hidePopover()
}

/** Counts a dialog whose code is still loading, too. */
function hasDialog(): boolean {
  return signInAgain.isPending() || document.querySelector('dialog[open]') !== null
}
