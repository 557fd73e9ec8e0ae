import { useSyncExternalStore } from 'react'

const PAGES_OPENED_BY_SECRET = [
  '/setup',
  '/reset-password',
  '/verify-email',
  '/change-email',
  '/undo-change-email',
  '/delete-account',
]

type Opened = {
  path: string
  secret: string | null
  error: string | null
}

let opened = take()
const listeners = new Set<() => void>()

// Pasting a new link over an open page changes only the fragment; the browser loads nothing.
addEventListener('hashchange', () => {
  if (!PAGES_OPENED_BY_SECRET.includes(location.pathname) || location.hash === '') return
  opened = take()
  for (const notify of listeners) notify()
})

/** What the link that opened this page carried. The address bar and the history no longer show it. */
export function useLinkSecret(): Opened {
  const current = useSyncExternalStore(subscribe, () => opened)
  return current.path === location.pathname ? current : nothing(location.pathname)
}

function subscribe(notify: () => void): () => void {
  listeners.add(notify)
  return () => listeners.delete(notify)
}

function take(): Opened {
  const path = location.pathname
  if (!PAGES_OPENED_BY_SECRET.includes(path)) return nothing(path)
  const fragment = location.hash.slice(1)
  const query = new URLSearchParams(location.search)
  const parts = new URLSearchParams(fragment.includes('=') ? fragment : { token: fragment })
  const secret = parts.get('token') || query.get('token') || null
  const error = query.get('error')
  history.replaceState(history.state, '', path + withoutSecret(location.search))
  return { path, secret, error }
}

/** Unchanged where there is nothing to take out, since a refused address is recognised by its text. */
function withoutSecret(search: string): string {
  const query = new URLSearchParams(search)
  if (!query.has('token') && !query.has('error')) return search
  query.delete('token')
  query.delete('error')
  return query.size > 0 ? `?${query}` : ''
}

function nothing(path: string): Opened {
  return { path, secret: null, error: null }
}
