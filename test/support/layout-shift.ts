import type { Page } from 'playwright-core'

/** Call this before the page opens. */
export async function measureLayoutShift(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(`
    window.layoutShift = 0
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.layoutShift += value
    }).observe({ type: 'layout-shift', buffered: true })`)
  // The browser reports the shifts of a frame after it.
  return () =>
    page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(window.layoutShift), 100)))')
}
