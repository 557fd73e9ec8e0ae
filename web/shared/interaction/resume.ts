import { useLocationProperty } from 'wouter/use-browser-location'
import { replacePage } from '../routing/guard-entry.ts'
import { createStore } from '../store.ts'
import type { Destination } from './interaction.ts'

/** The service redirects faster than this. An app in the browser has then replaced the page. */
const OPENING_MILLISECONDS = 2_000

type OpenedApp = { name: string; openedFrom: string }

let hasResumed = false
const openedApp = createStore<OpenedApp | null>(null)

/**
 * Goes to the app, once only: the address works a single time. The app replaces this page, so Back does not return
 * here.
 */
export function resume({ url, name, isNative }: Destination): void {
  if (hasResumed) return
  hasResumed = true
  const openedFrom = location.href
  replacePage(url)
  if (isNative) setTimeout(() => openedApp.set({ name, openedFrom }), OPENING_MILLISECONDS)
}

/** The name of the native app that this page has opened, or null. The browser still shows the page after that. */
export function useOpenedApp(): string | null {
  const app = openedApp.use()
  const address = useLocationProperty(() => location.href)
  return app?.openedFrom === address ? app.name : null
}
