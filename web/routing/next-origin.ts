/**
 * The other service that sent the visitor here and wants them back: the query's `next`. The server serves a page with
 * it only when it is one of the origins it knows; the scheme is looked at again since a link could run a script.
 */
export function nextOrigin(): string | null {
  const next = new URLSearchParams(location.search).get('next')
  if (next === null || !URL.canParse(next)) return null
  const { protocol, origin } = new URL(next)
  return protocol === 'https:' || protocol === 'http:' ? origin : null
}
