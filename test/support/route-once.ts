import type { Page, Route } from 'playwright-core'

/**
 * Handles the next request of a path, and lets later ones pass. The option `times: 1` of Playwright would remove the route,
 * and requests that begin while the last route of a page is removed are lost.
 */
export async function routeOnce(page: Page, path: string, handle: (route: Route) => Promise<void>): Promise<void> {
  let isHandled = false
  await page.route(path, (route) => {
    if (isHandled) return route.fallback()
    isHandled = true
    return handle(route)
  })
}

/** The service receives the next request of a path, and most of the body of its response is lost. */
export async function loseNextResponse(page: Page, path: string): Promise<void> {
  await routeOnce(page, path, async (route) => {
    await route.fetch()
    await route.fulfill({ contentType: 'application/json', body: '{"sta' })
  })
}

/** Holds the next request of a path back, after it was sent, until it is released. */
export async function holdNext(page: Page, path: string): Promise<{ sent: Promise<void>; release: () => void }> {
  const sent = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  await routeOnce(page, path, async (route) => {
    sent.resolve()
    await released.promise
    await route.continue()
  })
  return { sent: sent.promise, release: released.resolve }
}
