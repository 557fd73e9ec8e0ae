import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, afterEach, before, describe } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { launchBrowser } from './browser.ts'
import { type Service, startService } from './service.ts'

export interface Pages {
  service: Service
  /**
   * A page in a browser context of its own, without cookies and stored values, and with its own network address. Without
   * options, the context is one that an earlier test has left: a new one costs half a second of CPU time.
   */
  newPage(options?: BrowserContextOptions): Promise<Page>
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
    const used: { context: BrowserContext; hasOptions: boolean }[] = []
    const free: BrowserContext[] = []
    const errors: string[] = []

    before(async () => {
      ;[service, browser] = await Promise.all([startService({ engine: 'sqlite', environment }), launchBrowser()])
    })
    afterEach(async () => {
      for (const { context, hasOptions } of used.splice(0)) {
        if (!hasOptions && (await clear(context, service?.baseUrl ?? ''))) free.push(context)
        else await context.close()
      }
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
        async newPage(options) {
          const reused = options ? undefined : free.pop()
          const context = reused ?? (await newContext(opened, options, errors))
          used.push({ context, hasOptions: options !== undefined })
          return context.newPage()
        },
      }
    })
  })
}

async function newContext(
  { service, browser }: { service: Service; browser: Browser },
  options: BrowserContextOptions | undefined,
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

/**
 * Removes what a test has left in a browser context, and gives the context another network address.
 * @returns false for a context with a clock of a test, which stays
 */
async function clear(context: BrowserContext, origin: string): Promise<boolean> {
  const page = context.pages()[0] ?? (await context.newPage())
  if (!(await page.evaluate('Function.prototype.toString.call(Date).includes("[native code]")'))) return false
  const devtools = await context.newCDPSession(page)
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  for (const open of context.pages()) await open.close()
  await context.unrouteAll()
  await context.setOffline(false)
  await context.clearPermissions()
  await context.setExtraHTTPHeaders(ownAddress())
  return true
}

/** A network address of its own, because limits count by address. */
function ownAddress(): Record<string, string> {
  return { 'x-forwarded-for': [10, randomInt(256), randomInt(256), randomInt(1, 255)].join('.') }
}
