import { interactionId, promptOfPage } from './interaction-id.ts'

const STORAGE_KEY = 'interaction'
/** The service forgets an interaction after an hour. */
const LIFETIME_MILLISECONDS = 3_600_000

type Stored = { query: string; storedAt: number }

/**
 * For the page that an emailed link opens. The link has no interaction, because only this browser can go on to the app, and
 * the email may be read in another one.
 */
export function storeInteraction(): void {
  localStorage.removeItem(STORAGE_KEY)
  const interaction = interactionId()
  if (interaction === null) return
  const prompt = promptOfPage()
  const query = String(new URLSearchParams({ interaction, ...(prompt !== null && { prompt }) }))
  localStorage.setItem(STORAGE_KEY, JSON.stringify({ query, storedAt: Date.now() } satisfies Stored))
}

/** Adds the stored interaction to a path, once. */
export function withStoredInteraction(path: string): string {
  const stored: Stored | null = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null')
  localStorage.removeItem(STORAGE_KEY)
  const isUsable = stored !== null && Date.now() - stored.storedAt < LIFETIME_MILLISECONDS
  return isUsable ? `${path}?${stored.query}` : path
}
