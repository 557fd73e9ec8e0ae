import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser } from '../support/pages.ts'
import { routeOnce } from '../support/route-once.ts'
import { administratorWithOrganization } from '../support/users.ts'
import { heading, openSession } from '../support/visits.ts'

inBrowser('Refused addresses', (pages) => {
  test('A refused address shows a page with the reason and a way on', async () => {
    const page = await pages().newPage()
    const missing = await page.goto('/no-such-page')
    assert.equal(missing?.status(), 404)
    await heading(page, 'There is no such page')
    await page.getByRole('link', { name: 'Go to your account' }).click()
    await heading(page, 'Sign in')
    const incomplete = await page.goto('/api/token')
    assert.equal(incomplete?.status(), 401)
    await heading(page, 'Sign in first')
  })

  test('The refusal of a page with a next that is too long does not mention a used link', async () => {
    const page = await pages().newPage()
    const answer = await page.goto(`/sign-in?next=https://example.com/${'x'.repeat(2048)}`)
    assert.equal(answer?.status(), 400)
    await heading(page, 'That didn’t work')
    await page.getByText('Start again from the page or the email that brought you here.').waitFor()
  })

  test('A request over the limit of an address gets a page that says to wait, with status 429', async () => {
    const page = await pages().newPage()
    for (let visits = 0; visits < 30; visits++) await page.request.get('/invite/made-up', { maxRedirects: 0 })
    const answer = await page.goto('/invite/made-up')
    assert.equal(answer?.status(), 429)
    await heading(page, 'One try too many')
  })

  for (const [code, title] of [
    ['SERVICE_UNAVAILABLE', 'We can’t answer just now'],
    ['INTERNAL_SERVER_ERROR', 'Something went wrong'],
    ['INVALID_TOKEN', 'This link doesn’t work'],
    ['A_CODE_OF_LATER', 'That didn’t work'],
    ['constructor', 'That didn’t work'],
  ] as const) {
    test(`An address refused with ${code} shows “${title}”, and the requested page after a reload`, async () => {
      const page = await pages().newPage()
      await refuseOnce(page, '/forgot-password', code)
      await page.goto('/forgot-password')
      await heading(page, title)
      await page.reload()
      await heading(page, 'Forgot your password?')
    })
  }

  test('A list whose address has an unknown value says so, without the names of its parameters', async () => {
    const { service, newPage } = pages()
    const { email, organization } = await administratorWithOrganization(service)
    const page = await newPage()
    await openSession(page, service, email)
    for (const path of [`/organizations/${organization.slug}/members?sort=shoes`, '/staff/audit?from=yesterday']) {
      await page.goto(path)
      await page.getByRole('alert').getByText('A part of the address of this page is not valid.').waitFor()
      assert.doesNotMatch((await page.getByRole('alert').textContent()) ?? '', /sortBy|from must/)
    }
  })

  test('A filter whose value in the address is unknown says so, and All removes it', async () => {
    const { service, newPage } = pages()
    const { email, organization } = await administratorWithOrganization(service)
    const page = await newPage()
    await openSession(page, service, email)
    await page.goto(`/organizations/${organization.slug}/members?role=shoes`)
    const filter = page.getByLabel('Role', { exact: true })
    await filter.waitFor()
    assert.equal(await filter.locator('option:checked').textContent(), 'Unknown')
    await filter.selectOption('All')
    await page.waitForURL('**/members')
    await page.getByRole('cell', { name: email }).waitFor()
    assert.deepEqual(await filter.locator('option').allTextContents(), ['All', 'Member', 'Admin', 'Owner'])
  })

  test('A temporary refusal has a button to try again', async () => {
    const page = await pages().newPage()
    await refuseOnce(page, '/forgot-password', 'SERVICE_UNAVAILABLE')
    await page.goto('/forgot-password')
    await page.getByRole('button', { name: 'Try again' }).click()
    await heading(page, 'Forgot your password?')
  })
})

/** Adds an error code to the page, as the service does. */
function refuseOnce(page: Page, path: string, code: string): Promise<void> {
  return routeOnce(page, path, async (route) => {
    const answer = await route.fetch()
    const body = (await answer.text()).replace('<html', `<html data-error="${code}"`)
    await route.fulfill({ response: answer, body })
  })
}
