import { useEffect } from 'react'

/** Parts of a page that have a name for screen readers. */
const PARTS = 'table, section, nav, dialog, main'

/**
 * Gives the focus to the nearest part of the page when the focused control leaves the page, for example with its row.
 * Otherwise the next Tab starts at the top, and a screen reader loses its place.
 */
export function useFocusAfterRemoval(): void {
  useEffect(() => {
    let focused: Node | null = null

    function remember({ target }: FocusEvent) {
      focused = target as Node
    }

    /** A click beside the controls takes the focus away too. After the event, such a control is still in the page. */
    function forgetConnected({ target }: FocusEvent) {
      queueMicrotask(() => {
        if (focused === target && focused?.isConnected && document.activeElement !== focused) focused = null
      })
    }

    const observer = new MutationObserver((changes) => {
      if (focused === null || focused.isConnected) return
      const removed = focused
      focused = null
      const change = changes.findLast(({ removedNodes }) => [...removedNodes].some((node) => node.contains(removed)))
      // The new content may take the focus itself, in an effect.
      requestAnimationFrame(() => document.activeElement === document.body && focusPart(change?.target))
    })

    addEventListener('focusin', remember)
    addEventListener('focusout', forgetConnected)
    observer.observe(document.body, { childList: true, subtree: true })
    return () => {
      removeEventListener('focusin', remember)
      removeEventListener('focusout', forgetConnected)
      observer.disconnect()
    }
  }, [])
}

function focusPart(place: Node | undefined): void {
  const nearest = place instanceof Element && place.isConnected ? place : document.body
  const part = nearest.closest<HTMLElement>(PARTS) ?? document.querySelector('main')
  part?.setAttribute('tabindex', '-1')
  part?.focus({ preventScroll: true })
}
