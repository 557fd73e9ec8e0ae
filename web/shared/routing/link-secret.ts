import { useLocationProperty } from 'wouter/use-browser-location'
import { pagesWithSecret } from '../pages.ts'

const STORAGE_KEY = 'link'

let link = readLink()
store()
hideSecret()

// Pasting a new link over an open page changes only the fragment, and the browser loads nothing.
addEventListener('hashchange', () => {
  if (!hasSecret(location.pathname) || location.hash === '') return
  link = readLink()
  store()
  hideSecret()
})

/**
 * The secret of the link that opened this page, or null. The address bar and the history do not show it. The storage of this
 * tab has it until it is used, so that the link survives a reload.
 */
export function useLinkSecret(): string | null {
  return useLocationProperty(() => (link.path === location.pathname ? link.secret : null))
}

/** The link has been used. */
export function forgetLinkSecret(): void {
  sessionStorage.removeItem(STORAGE_KEY)
}

function store(): void {
  if (link.secret !== null) sessionStorage.setItem(STORAGE_KEY, JSON.stringify(link))
}

function readStored(path: string): string | null {
  const stored: typeof link = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '{}')
  return stored.path === path ? stored.secret : null
}

function hasSecret(path: string): boolean {
  return pagesWithSecret.includes(path)
}

function readLink(): { path: string; secret: string | null } {
  const path = location.pathname
  const query = new URLSearchParams(location.search)
  if (!hasSecret(path) || query.has('error')) return { path, secret: null }
  const fragment = location.hash.slice(1)
  const parts = new URLSearchParams(fragment.includes('=') ? fragment : { token: fragment })
  return { path, secret: parts.get('token') || query.get('token') || readStored(path) }
}

function hideSecret(): void {
  if (!hasSecret(location.pathname)) return
  history.replaceState(history.state, '', location.pathname + withoutSecret(location.search))
}

/** The text of a query without a secret stays unchanged, because a refused address is compared by its text. */
function withoutSecret(search: string): string {
  const query = new URLSearchParams(search)
  if (!query.has('token') && !query.has('error')) return search
  query.delete('token')
  query.delete('error')
  return query.size > 0 ? `?${query}` : ''
}
