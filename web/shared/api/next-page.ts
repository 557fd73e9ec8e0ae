const NEXT_PAGE_MILLISECONDS_MAXIMUM = 10_000

let isLeaving = false

addEventListener('beforeunload', () => {
  isLeaving = true
})
// Back can restore this page from the memory of the browser.
addEventListener('pageshow', () => {
  isLeaving = false
})

/**
 * Waits until the browser has left this page, or stays on it. Firefox ends all requests when it begins to load the next
 * page, but still shows this one. Without the wait, this page would say that the service can't be reached.
 */
export async function waitForNextPage(): Promise<void> {
  if (!isLeaving) return
  await new Promise((resolve) => setTimeout(resolve, NEXT_PAGE_MILLISECONDS_MAXIMUM))
  isLeaving = false
}
