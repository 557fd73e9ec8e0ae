import { useEffect, useState } from 'react'

/** Whether the palette is open. Ctrl-K or ⌘-K opens it. */
export function usePalette(): { isOpen: boolean; open: () => void; close: () => void } {
  const [isOpen, setOpen] = useState(false)

  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setOpen(true)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])

  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) }
}
