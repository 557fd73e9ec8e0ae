import type { EventEmitter } from 'node:events'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { newAddress } from './client.ts'

/** The first page of a browser context, which several tests use one after the other. */
export interface ReusedPage {
  page: Page
  devtools: CDPSession
  /** Whether a test has changed the page in a way that Playwright can't undo. */
  isChanged: boolean
  /** The number of listeners that Playwright itself has added. */
  listenerCount: number
}

/** The state of a new page. `clearPage` sets it again. */
const MEDIA = {
  media: null,
  colorScheme: 'light',
  contrast: null,
  forcedColors: null,
  reducedMotion: 'reduce',
} as const
const VIEWPORT = { width: 1280, height: 720 }
export const NEW_PAGE_OPTIONS = { viewport: VIEWPORT, reducedMotion: MEDIA.reducedMotion } as const
/** A response without scripts, of the same origin: the browser would end the process of a page that goes to about:blank. */
const PLAIN_PATH = '/healthz'

export async function openPage(context: BrowserContext): Promise<ReusedPage> {
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  const opened = { page, devtools, isChanged: false, listenerCount: countListeners(page) }
  const note = () => {
    opened.isChanged = true
  }
  noteCalls(page, ['addInitScript', 'exposeBinding', 'exposeFunction'], note)
  noteCalls(context, ['newCDPSession'], note)
  return opened
}

function noteCalls<Target extends object>(target: Target, methods: (keyof Target)[], note: () => void): void {
  for (const method of methods) {
    const call = target[method] as (...given: unknown[]) => unknown
    const noted = (...given: unknown[]) => {
      note()
      return call.apply(target, given)
    }
    Object.assign(target, { [method]: noted })
  }
}

// A page is an emitter, but its type does not say so.
function countListeners(page: Page): number {
  const emitter = page as unknown as EventEmitter
  return emitter.eventNames().reduce((count, name) => count + emitter.listenerCount(name), 0)
}

/**
 * Removes what a test has left in a page and its browser context, and gives them another network address.
 * @returns undefined if the next test needs a new context
 */
export async function clearPage(used: ReusedPage): Promise<ReusedPage | undefined> {
  const isKept = !used.page.isClosed() && !used.isChanged && countListeners(used.page) === used.listenerCount
  const cleared = isKept ? used : await openPage(used.page.context())
  const { page, devtools } = cleared
  const context = page.context()
  for (const other of context.pages()) if (other !== page) await other.close()
  await Promise.all([context, page].map((routed) => routed.unrouteAll({ behavior: 'ignoreErrors' })))
  await context.setOffline(false)
  await context.clearPermissions()
  await context.setExtraHTTPHeaders({ 'x-forwarded-for': newAddress() })
  // A page that still ran could store something after the removal. This fails if the page goes to another one itself.
  if (!(await page.goto(PLAIN_PATH).catch(() => null))) return undefined
  const isClockReal = await page.evaluate('Function.prototype.toString.call(Date).includes("[native code]")')
  if (!isClockReal) return undefined
  await page.evaluate('sessionStorage.clear(), (window.name = "")')
  await devtools.send('Storage.clearDataForOrigin', { origin: new URL(page.url()).origin, storageTypes: 'all' })
  await devtools.send('Page.resetNavigationHistory')
  await page.emulateMedia(MEDIA)
  await page.setViewportSize(VIEWPORT)
  return cleared
}
