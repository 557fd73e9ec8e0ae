import assert from 'node:assert/strict'
import { after, afterEach, before, describe } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { borrowBrowser, returnBrowser } from './browser.ts'
import { newAddress } from './client.ts'
import { clearPage, NEW_PAGE_OPTIONS, openPage, type ReusedPage } from './reused-page.ts'
import { type Service, startService } from './service.ts'

export interface Pages {
  service: Service
  /**
   * A page in a browser context of its own, without cookies and stored values, and with its own network address. An
   * earlier test may have used and left it, unless an option needs a new context: that costs a second of CPU time.
   */
  newPage(options?: BrowserContextOptions): Promise<Page>
}

/** The browser logs an error response and a request without a network, and the page explains both. */
const EXPECTED =
  /^Failed to load resource: (the server responded with a status of 4\d\d|net::ERR_INTERNET_DISCONNECTED)/
// A password hash has the lowest priority, and takes seconds while other tests use every core.
const TIMEOUT_MILLISECONDS = 30_000

/**
 * Tests of the pages in Chromium. A page that breaks the content security policy, throws or logs an error fails its test.
 */
export function inBrowser(
  name: string,
  define: (pages: () => Pages) => void,
  environment: Record<string, string> = {},
): void {
  describe(name, () => {
    let service: Service | undefined
    let browser: Browser | undefined
    const used: { opened: ReusedPage; isReusable: boolean }[] = []
    const free: ReusedPage[] = []
    const errors: string[] = []

    before(async () => {
      // The browser starts last, so that `after` knows the service if the browser does not start.
      service = await startService({ engine: 'sqlite', environment })
      browser = await borrowBrowser()
    })
    afterEach(async () => {
      for (const { opened, isReusable } of used.splice(0)) {
        const cleared = isReusable ? await clearPage(opened) : undefined
        if (cleared) free.push(cleared)
        else await opened.page.context().close()
      }
      assert.deepEqual(errors.splice(0), [])
    })
    after(async () => {
      try {
        for (const { page } of free) await page.context().close()
      } finally {
        if (browser) returnBrowser()
        await service?.stop()
      }
    })
    define(() => {
      if (!service || !browser) throw new Error('Call this inside a test')
      const running = { service, browser }
      return {
        service: running.service,
        async newPage(options = {}) {
          const { viewport: _viewport, permissions: _permissions, colorScheme: _colorScheme, ...fixed } = options
          const isReusable = Object.keys(fixed).length === 0
          const left = isReusable ? free.pop() : undefined
          const opened = left ?? (await openPage(await newContext(running, fixed, errors)))
          used.push({ opened, isReusable })
          await changePage(opened.page, options)
          return opened.page
        },
      }
    })
  })
}

/** Sets the options that need no new context, because `clearPage` sets them back. */
async function changePage(page: Page, { viewport, permissions, colorScheme }: BrowserContextOptions): Promise<void> {
  if (viewport) await page.setViewportSize(viewport)
  if (permissions) await page.context().grantPermissions(permissions)
  if (colorScheme) await page.emulateMedia({ colorScheme })
}

async function newContext(
  { service, browser }: { service: Service; browser: Browser },
  options: BrowserContextOptions,
  errors: string[],
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: service.baseUrl,
    extraHTTPHeaders: { 'x-forwarded-for': newAddress() },
    ...NEW_PAGE_OPTIONS,
    ...options,
  })
  context.setDefaultTimeout(TIMEOUT_MILLISECONDS)
  await context.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.error(event.violatedDirective, 'refuses', event.blockedURI))",
  )
  context.on('console', (message) => {
    if (message.type() === 'error' && !EXPECTED.test(message.text()))
      errors.push(`${message.page()?.url()}: ${message.text()} ${message.location().url}`)
  })
  context.on('weberror', (error) => errors.push(`${error.page()?.url()}: ${error.error()}`))
  return context
}
