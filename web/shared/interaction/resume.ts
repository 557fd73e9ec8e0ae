import { replacePage } from '../routing/guard-entry.ts'
import { createStore } from '../store.ts'
import type { Destination } from './interaction.ts'

/** The service redirects faster than this. An app in the browser has then replaced the page. */
const OPENING_MILLISECONDS = 2_000

let hasResumed = false
const openedApp = createStore<string | null>(null)

/**
 * Goes to the app, once only: the address works a single time. The app replaces this page, so Back does not return
 * here.
 */
export function resume({ url, name, isNative }: Destination): void {
  if (hasResumed) return
  hasResumed = true
  replacePage(url)
  if (isNative) setTimeout(() => openedApp.set(name), OPENING_MILLISECONDS)
}

/** The name of the native app that has opened, or null. The browser still shows the page after a native app opens. */
export const useOpenedApp = openedApp.use
