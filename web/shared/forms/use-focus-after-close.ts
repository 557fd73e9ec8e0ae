import { type RefObject, useLayoutEffect, useRef } from 'react'

/** Returns the focus to the button that opened something, after it has closed. */
export function useFocusAfterClose(isOpen: boolean): RefObject<HTMLButtonElement | null> {
  const wasOpen = useRef(isOpen)
  const opener = useRef<HTMLButtonElement>(null)

  useLayoutEffect(() => {
    if (wasOpen.current && !isOpen) opener.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])

  return opener
}
