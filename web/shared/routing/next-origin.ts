import { pagesWithNext } from '../pages.ts'

/**
 * The origin of `next`, the service to return to. The server checks `next` on the pages that have it. The scheme is checked
 * again here, because a link with another scheme could run a script.
 */
export function nextOrigin(): string | null {
  const [next, ...more] = new URLSearchParams(location.search).getAll('next')
  if (next === undefined || more.length > 0 || !URL.canParse(next)) return null
  // A document of a refused address never passed the check, even if its address has changed since.
  if (!pagesWithNext.includes(location.pathname) || document.documentElement.dataset.error !== undefined) return null
  const { protocol, origin } = new URL(next)
  return protocol === 'https:' || protocol === 'http:' ? origin : null
}
