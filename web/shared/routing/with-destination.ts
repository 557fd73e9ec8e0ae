import { pagesWithInteraction, pagesWithNext } from '../pages.ts'
import { interactionId, promptOfPage } from './interaction-id.ts'
import { nextOrigin } from './next-origin.ts'

/**
 * Adds the destination of this page to a path: the app of the interaction, or the service in `next`. Paths of pages
 * that do not use the destination stay as they are.
 */
export function withDestination(path: string): string {
  const [page = '', fragment] = path.split('#')
  const destination = {
    next: pagesWithNext.includes(page) ? nextOrigin() : null,
    ...(pagesWithInteraction.includes(page) && { interaction: interactionId(), prompt: promptOfPage() }),
  }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(destination)) if (value !== null) query.set(name, value)
  if (query.size === 0) return path
  return `${page}?${query}${fragment === undefined ? '' : `#${fragment}`}`
}
