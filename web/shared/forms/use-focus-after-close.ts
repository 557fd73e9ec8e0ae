import { type RefObject, useLayoutEffect, useRef } from 'react'

/** Returns the focus to the button that opened something, after it has closed. */
export function useFocusAfterClose(
  isOpen: boolean,
  { preventScroll = false }: FocusOptions = {},
): RefObject<HTMLButtonElement | null> {
  const wasOpen = useRef(isOpen)
  const opener = useRef<HTMLButtonElement>(null)

  useLayoutEffect(() => {
    if (wasOpen.current && !isOpen) opener.current?.focus({ preventScroll })
    wasOpen.current = isOpen
  }, [isOpen, preventScroll])

  return opener
}
