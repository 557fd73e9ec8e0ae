import type { Page } from 'playwright-core'
import { waitForFrames } from './visits.ts'

/**
 * Collects what a screen reader announces from now on: the new texts of live regions that were in the page before, and
 * alerts. A region that comes with its text is not announced.
 * @returns a function that returns the texts since its last call
 */
export async function watchAnnouncements(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(`(() => {
    const LIVE = '[role=status], [role=alert], [aria-live], output'
    window.announcements = []
    new MutationObserver((changes) => {
      const added = changes.flatMap(({ addedNodes }) => [...addedNodes])
      const isNew = (region) => added.some((node) => node.contains(region))
      const alerts = added.flatMap((node) =>
        node.matches?.('[role=alert]') ? [node] : [...(node.querySelectorAll?.('[role=alert]') ?? [])],
      )
      const changed = changes.map(({ target }) => (target.closest ? target : target.parentElement)?.closest(LIVE))
      for (const region of new Set([...changed.filter((region) => region && !isNew(region)), ...alerts])) {
        const text = region.innerText.trim()
        if (text !== '') window.announcements.push(text)
      }
    }).observe(document.body, { childList: true, subtree: true, characterData: true })
  })()`)
  return async () => {
    await waitForFrames(page)
    return page.evaluate('window.announcements.splice(0)')
  }
}
