import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext } from 'playwright-core'
import { borrowBrowser, newVirtualAuthenticator, returnBrowser } from './browser.ts'
import { clearPage, NEW_PAGE_OPTIONS, openPage, type ReusedPage } from './reused-page.ts'
import { type Service, startService } from './service.ts'

const STATE = `({
  local: localStorage.length, session: sessionStorage.length, cookie: document.cookie, name: window.name,
  history: history.length, width: innerWidth, isDark: matchMedia('(prefers-color-scheme: dark)').matches, mark: window.mark,
})`

describe('A page that several tests use', () => {
  let service: Service
  let browser: Browser
  let context: BrowserContext
  let opened: ReusedPage

  before(async () => {
    service = await startService({ engine: 'sqlite' })
    browser = await borrowBrowser()
    context = await browser.newContext({ baseURL: service.baseUrl, ...NEW_PAGE_OPTIONS })
    opened = await openPage(context)
  })
  after(async () => {
    await context?.close()
    if (browser) returnBrowser()
    await service?.stop()
  })

  async function clear(): Promise<void> {
    const cleared = await clearPage(opened)
    assert.ok(cleared)
    opened = cleared
  }

  async function readState(): Promise<unknown> {
    await opened.page.goto('/sign-in')
    return opened.page.evaluate(STATE)
  }

  test('A page is like a new one after its test, also if its scripts still store values', async () => {
    const likeNew = await readState()
    const { page } = opened
    await page.goto('/forgot-password')
    await page.setViewportSize({ width: 320, height: 640 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.route('**/sign-in', (route) => route.abort())
    await page.context().newPage()
    await page.evaluate(`setInterval(() => {
      document.cookie = 'late=1'
      localStorage.late = sessionStorage.late = window.name = 'late'
    })`)
    await clear()
    assert.equal(opened.page, page)
    assert.deepEqual(await readState(), likeNew)
    assert.deepEqual(page.context().pages(), [page])
  })

  for (const [change, act] of Object.entries({
    'with a script of a test': ({ page }: ReusedPage) => page.addInitScript('window.mark = 1'),
    'with a listener of a test': ({ page }: ReusedPage) => page.on('request', () => {}),
    'with a virtual authenticator': ({ page }: ReusedPage) => newVirtualAuthenticator(page),
    'that its test has closed': ({ page }: ReusedPage) => page.close(),
  })) {
    test(`A page ${change} is replaced`, async () => {
      const likeNew = await readState()
      const { page } = opened
      await act(opened)
      await clear()
      assert.notEqual(opened.page, page)
      assert.deepEqual(await readState(), likeNew)
    })
  }

  test('A context whose clock a test has replaced is not used again', async () => {
    const other = await openPage(await browser.newContext({ baseURL: service.baseUrl }))
    await other.page.clock.install()
    assert.equal(await clearPage(other), undefined)
    await other.page.context().close()
  })
})
