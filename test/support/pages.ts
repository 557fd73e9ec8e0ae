import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, afterEach, before, describe } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { launchBrowser } from './browser.ts'
import { type Service, startService } from './service.ts'

export interface Pages {
  service: Service
  /** A page in a new browser context, without cookies and with its own network address. */
  newPage(options?: BrowserContextOptions): Promise<Page>
  /**
   * The same page for each call, blank and without cookies and stored values, for tests that only look at pages. A new
   * browser context costs half a second of CPU time.
   */
  reusedPage(): Promise<Page>
}

/** The browser logs an error response and a request without a network, and the page explains both. */
const EXPECTED =
  /^Failed to load resource: (the server responded with a status of 4\d\d|net::ERR_INTERNET_DISCONNECTED)/
const TIMEOUT_MILLISECONDS = 10_000

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
    const contexts: BrowserContext[] = []
    const errors: string[] = []
    let reused: Page | undefined

    before(async () => {
      ;[service, browser] = await Promise.all([startService({ engine: 'sqlite', environment }), launchBrowser()])
    })
    afterEach(async () => {
      for (const context of contexts.splice(0)) await context.close()
      assert.deepEqual(errors.splice(0), [])
    })
    after(async () => {
      await browser?.close()
      await service?.stop()
    })
    define(() => {
      if (!service || !browser) throw new Error('Call this inside a test')
      const opened = { service, browser }
      return {
        service: opened.service,
        async newPage(options = {}) {
          const context = await newContext(opened, options, errors)
          contexts.push(context)
          return context.newPage()
        },
        async reusedPage() {
          reused ??= await (await newContext(opened, {}, errors)).newPage()
          await clear(reused, opened.service)
          return reused
        },
      }
    })
  })
}

async function newContext(
  { service, browser }: { service: Service; browser: Browser },
  options: BrowserContextOptions,
  errors: string[],
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: service.baseUrl,
    extraHTTPHeaders: ownAddress(),
    reducedMotion: 'reduce',
    ...options,
  })
  context.setDefaultTimeout(TIMEOUT_MILLISECONDS)
  await context.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.error(event.violatedDirective, 'refuses', event.blockedURI))",
  )
  context.on('console', (message) => {
    if (message.type() === 'error' && !EXPECTED.test(message.text()))
      errors.push(`${message.page()?.url()}: ${message.text()}`)
  })
  context.on('weberror', (error) => errors.push(`${error.page()?.url()}: ${error.error()}`))
  return context
}

async function clear(page: Page, { baseUrl }: Service): Promise<void> {
  if (page.url().startsWith(baseUrl)) await page.evaluate('sessionStorage.clear(), localStorage.clear()')
  await page.goto('about:blank')
  await page.emulateMedia({ colorScheme: null, forcedColors: null })
  await page.context().clearCookies()
  await page.context().setExtraHTTPHeaders(ownAddress())
}

/** A network address of its own, because limits count by address. */
function ownAddress(): Record<string, string> {
  return { 'x-forwarded-for': [10, randomInt(256), randomInt(256), randomInt(1, 255)].join('.') }
}
