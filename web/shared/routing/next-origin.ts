import { pagesWithNext } from '../pages.ts'

/**
 * The other service that sent the user here and wants them back: the query's `next`. Only some pages have one that the
 * server has checked. The scheme is checked again, because a link could run a script.
 */
export function nextOrigin(): string | null {
  const [next, ...more] = new URLSearchParams(location.search).getAll('next')
  if (next === undefined || more.length > 0 || !URL.canParse(next)) return null
  // A document that was served with an error never passed the check, whatever address it shows by now.
  if (!pagesWithNext.includes(location.pathname) || document.documentElement.dataset.error !== undefined) return null
  const { protocol, origin } = new URL(next)
  return protocol === 'https:' || protocol === 'http:' ? origin : null
}

/** The path with this page's `next`, where the page at the path takes one: the user still wants to go back there. */
export function withNext(path: string): string {
  const next = nextOrigin()
  return next !== null && pagesWithNext.includes(path) ? `${path}?${new URLSearchParams({ next })}` : path
}
