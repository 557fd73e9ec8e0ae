import { useLocationProperty } from 'wouter/use-browser-location'
import { pagesWithSecret } from '../pages.ts'

let link = readLink()
hideSecret()

// Pasting a new link over an open page changes only the fragment, and the browser loads nothing.
addEventListener('hashchange', () => {
  if (!hasSecret(location.pathname) || location.hash === '') return
  link = readLink()
  hideSecret()
})

/** The secret of the link that opened this page, or null. The address bar and the history do not show it. */
export function useLinkSecret(): string | null {
  return useLocationProperty(() => (link.path === location.pathname ? link.secret : null))
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
  return { path, secret: parts.get('token') || query.get('token') || null }
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
