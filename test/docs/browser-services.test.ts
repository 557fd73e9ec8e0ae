import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { type DocumentedService, startDocumentedService } from '../support/examples.ts'
import { getFreePort } from '../support/free-port.ts'
import { type Service, startService } from '../support/service.ts'
import { startUnavailableAccounts } from '../support/unavailable-accounts.ts'
import { administratorWithOrganization, newMember } from '../support/users.ts'
import { fillSignIn, heading } from '../support/visits.ts'

/** Runs the two files of the page, of which the second one is for the browser. */
const startFromPage = (accountsUrl: string, port: number): Promise<DocumentedService> =>
  startDocumentedService('browser-services.md', { ACCOUNTS_URL: accountsUrl, PORT: String(port) })

describe('docs/browser-services.md', () => {
  let accounts: Service
  let service: DocumentedService
  let browser: Browser
  let email: string
  let sameSite: string
  let anotherSite: string

  before(async () => {
    const port = await getFreePort()
    sameSite = `http://localhost:${port}`
    anotherSite = `http://127.0.0.1:${port}`
    const environment = { RETURN_TO_ORIGINS: `${sameSite},${anotherSite}` }
    accounts = await startService({ engine: 'sqlite', environment })
    browser = await launchBrowser()
    service = await startFromPage(accounts.baseUrl, port)
    email = (await newMember(accounts)).email
  })
  after(async () => {
    await browser?.close()
    service?.stop()
    await accounts?.stop()
  })

  async function visit(url: string): Promise<Page> {
    const page = await (await browser.newContext()).newPage()
    await page.goto(url)
    return page
  }

  async function signInFrom(page: Page): Promise<void> {
    await page.getByRole('link', { name: 'Sign in' }).click()
    await heading(page, 'Sign in')
    await fillSignIn(page, email)
  }

  const hello = (page: Page) => page.getByText('Hello Hilda Hire, member of Example Works.').waitFor()

  test('The documented browser service signs a user in and authenticates the user by token', async () => {
    const page = await visit(sameSite)
    await page.getByText('You are signed out.').waitFor()
    await signInFrom(page)
    await hello(page)
    assert.equal(page.url(), `${sameSite}/`)
    await page.reload()
    await hello(page)
    await page.context().close()
  })

  test('The documented browser service links to the account page and signs the user out', async () => {
    const page = await visit(sameSite)
    await signInFrom(page)
    await page.getByRole('link', { name: 'Your account' }).click()
    await heading(page, 'Your account')
    await page.getByRole('link', { name: /^Back to localhost/ }).click()
    await hello(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are signed out.').waitFor()
    await page.goto(`${accounts.baseUrl}/account`)
    await heading(page, 'Sign in')
    await page.context().close()
  })

  test('The documented browser service says that a sign-out failed', async () => {
    const page = await visit(sameSite)
    await signInFrom(page)
    await hello(page)
    await page.route('**/api/auth/sign-out', (route) =>
      route.fulfill({
        status: 503,
        headers: { 'access-control-allow-origin': sameSite, 'access-control-allow-credentials': 'true' },
        json: { code: 'SERVICE_UNAVAILABLE', message: 'The service is unavailable.' },
      }),
    )
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('The service is unavailable.').waitFor()
    await page.context().close()
  })

  test('The documented browser service replaces a refused token once', async () => {
    const page = await visit(sameSite)
    let refusals = 0
    await page.route('**/api/hello', (route) => {
      refusals += 1
      return refusals === 1 ? route.fulfill({ status: 401, json: { error: 'unauthorized' } }) : route.continue()
    })
    await signInFrom(page)
    await hello(page)
    assert.equal(refusals, 2)
    await page.context().close()
  })

  test('The documented browser service says that its own API failed', async () => {
    const page = await visit(sameSite)
    await page.route('**/api/hello', (route) => route.fulfill({ status: 503, json: { error: 'unavailable' } }))
    await signInFrom(page)
    await page.getByText('This did not work. Please try again.').waitFor()
    await page.context().close()
  })

  test('The documented browser service responds with 503, not with 401, while Accounts gives it no keys', async (t) => {
    const port = await getFreePort()
    const unable = await startFromPage(await startUnavailableAccounts(t), port)
    t.after(() => unable.stop())
    const { client, organization } = await administratorWithOrganization(accounts)
    const { token } = (await client.get(`/api/token?org=${organization.slug}`)).body
    const headers = { authorization: `Bearer ${token}` }
    assert.equal((await fetch(`http://localhost:${port}/api/hello`, { headers })).status, 503)
  })

  test('The documented browser service refuses requests without a token', async () => {
    for (const authorization of ['', 'Bearer ', 'Bearer x', 'Basic eDp5']) {
      assert.equal((await fetch(`${sameSite}/api/hello`, { headers: { authorization } })).status, 401, authorization)
    }
  })

  test('The documented browser service on another site shows no user, as documented, and does not redirect in a loop', async () => {
    const page = await visit(anotherSite)
    await signInFrom(page)
    await page.waitForURL(`${anotherSite}/`)
    await page.getByText('You are signed out.').waitFor()
    const status = await page.evaluate(
      async (url) => (await fetch(url, { credentials: 'include' })).status,
      `${accounts.baseUrl}/api/token?org=example`,
    )
    assert.equal(status, 401)
    const redirect = page.waitForResponse((response) => response.status() === 302)
    await page.getByRole('link', { name: 'Sign in' }).click()
    assert.equal((await redirect).headers().location, anotherSite)
    await page.getByText('You are signed out.').waitFor()
    await page.goto(sameSite)
    await hello(page)
    await page.context().close()
  })
})
