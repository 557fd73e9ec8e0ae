import type { Page, Route } from 'playwright-core'

type Handle = (route: Route) => Promise<void>

/**
 * Handles the requests of a path, until the returned function lets them pass. Neither `unroute` nor the option `times` of
 * Playwright would do: requests that begin while the last route of a page is removed are lost.
 */
export async function routeForNow(page: Page, path: string | RegExp, handle: Handle): Promise<() => void> {
  let isHandling = true
  await page.route(path, (route) => (isHandling ? handle(route) : route.fallback()))
  return () => {
    isHandling = false
  }
}

/** Handles the next request of a path, and lets later ones pass. */
export async function routeOnce(page: Page, path: string, handle: Handle): Promise<void> {
  const letPass = await routeForNow(page, path, (route) => {
    letPass()
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
