import { useSyncExternalStore } from 'react'
import type { Destination } from './interaction.ts'

/** The service answers before, and an app in the browser has then replaced the page. */
const HANDOVER_MILLISECONDS = 2_000

let hasResumed = false
let handedOverTo: string | null = null
const listeners = new Set<() => void>()

/** Leaves for the app, once: the address works a single time. The page leaves the history, because it has done its work. */
export function resume({ url, name, isNative }: Destination): void {
  if (hasResumed) return
  hasResumed = true
  location.replace(url)
  if (isNative) setTimeout(() => tellHandedOver(name), HANDOVER_MILLISECONDS)
}

/** The name of the native app that has opened, or null. Such an app leaves the page in the browser. */
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
