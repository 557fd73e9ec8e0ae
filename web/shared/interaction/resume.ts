import { useSyncExternalStore } from 'react'
import type { Destination } from './interaction.ts'

/** The service redirects faster than this. An app in the browser has then replaced the page. */
const HANDOVER_MILLISECONDS = 2_000

let hasResumed = false
let handedOverTo: string | null = null
const listeners = new Set<() => void>()

/**
 * Goes to the app, once only: the address works a single time. The app replaces this page, so Back does not return
 * here.
 */
export function resume({ url, name, isNative }: Destination): void {
  if (hasResumed) return
  hasResumed = true
  location.replace(url)
  if (isNative) setTimeout(() => tellHandedOver(name), HANDOVER_MILLISECONDS)
}

/** The name of the native app that has opened, or null. The browser still shows the page after a native app opens. */
export function useHandedOver(): string | null {
  return useSyncExternalStore(
    (notify) => {
      listeners.add(notify)
      return () => listeners.delete(notify)
    },
    () => handedOverTo,
  )
}

function tellHandedOver(name: string): void {
  handedOverTo = name
  for (const notify of listeners) notify()
}
