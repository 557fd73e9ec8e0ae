import { useSyncExternalStore } from 'react'
import { withNext } from './next-origin.ts'

const changed = new EventTarget()

/** The path that is shown, and re-renders when it changes. */
export function usePath(): string {
  return useSyncExternalStore(subscribeToNavigation, () => location.pathname)
}

/** What follows the `#` in the address, '' for nothing, and re-renders when it changes. */
export function useFragment(): string {
  return useSyncExternalStore(subscribeToNavigation, () => location.hash.slice(1))
}

/** What one page hands to the next. It lives in the history, so it is still there after a reload. */
type Handover = { returnTo?: string; notice?: string }

/** The page that sent a signed-out visitor away, so that signing in can bring them back to it. */
export function pathToReturnTo(): string | undefined {
  return handedOver('returnTo')
}

/** What the page before wants said here. */
export function noticeOnArrival(): string | undefined {
  return handedOver('notice')
}

export function goTo(path: string): void {
  history.pushState(null, '', withNext(path))
  changed.dispatchEvent(new Event('change'))
  scrollTo(0, 0)
}

/** Goes on without leaving the present page in the history: it would only send the visitor forth again. */
export function replaceWith(path: string, handover: Handover | null = null): void {
  history.replaceState(handover, '', withNext(path))
  changed.dispatchEvent(new Event('change'))
  scrollTo(0, 0)
}

function handedOver(name: keyof Handover): string | undefined {
  const handover: Handover | null = history.state
  return handover?.[name]
}

/** Tells of every change of the address that loads no new document. */
export function subscribeToNavigation(notify: () => void): () => void {
  addEventListener('popstate', notify)
  changed.addEventListener('change', notify)
  return () => {
    removeEventListener('popstate', notify)
    changed.removeEventListener('change', notify)
  }
}
