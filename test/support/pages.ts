import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, afterEach, before, describe } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { launchBrowser } from './browser.ts'
import { type Service, startService } from './service.ts'

export interface House {
  service: Service
  /** A browser of its own: no cookies, and a network address that no other visitor has. */
  visitor(options?: BrowserContextOptions): Promise<Page>
}

/** The browser's own line about an answer that is an error, which the page then explains. */
const EXPECTED = /^Failed to load resource: the server responded with a status of 4\d\d/
const PATIENCE_MILLISECONDS = 10_000

/**
 * Tests of the real pages in a real browser. A page that breaks the content security policy, throws, or logs an error
 * fails its test, whatever the test is about.
 */
export function inBrowser(
  name: string,
  define: (house: () => House) => void,
  environment: Record<string, string> = {},
): void {
  describe(name, () => {
    let service: Service | undefined
    let browser: Browser | undefined
    const contexts: BrowserContext[] = []
    const complaints: string[] = []

    before(async () => {
      ;[service, browser] = await Promise.all([startService({ engine: 'sqlite', environment }), launchBrowser()])
    })
    afterEach(async () => {
      for (const context of contexts.splice(0)) await context.close()
      assert.deepEqual(complaints.splice(0), [])
    })
    after(async () => {
      await browser?.close()
      await service?.stop()
    })
    define(() => {
      if (!service || !browser) throw new Error('The house is there once the tests run')
      const opened = { service, browser }
      return {
        service: opened.service,
        async visitor(options = {}) {
          const context = await newContext(opened, options, complaints)
          contexts.push(context)
          return context.newPage()
        },
      }
    })
  })
}

async function newContext(
  { service, browser }: { service: Service; browser: Browser },
  options: BrowserContextOptions,
  complaints: string[],
): Promise<BrowserContext> {
  const address = [10, randomInt(256), randomInt(256), randomInt(1, 255)].join('.')
  const context = await browser.newContext({
    baseURL: service.baseUrl,
    extraHTTPHeaders: { 'x-forwarded-for': address },
    reducedMotion: 'reduce',
    ...options,
  })
  context.setDefaultTimeout(PATIENCE_MILLISECONDS)
  await context.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.error(event.violatedDirective, 'refuses', event.blockedURI))",
  )
  context.on('console', (message) => {
    if (message.type() === 'error' && !EXPECTED.test(message.text()))
      complaints.push(`${message.page()?.url()}: ${message.text()}`)
  })
  context.on('weberror', (error) => complaints.push(`${error.page()?.url()}: ${error.error()}`))
  return context
}
