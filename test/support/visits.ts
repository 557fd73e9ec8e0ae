import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import type { Service } from './service.ts'
import { PASSWORD, sessionOf } from './users.ts'

/** The name of the focused field, otherwise the text of the focused element. */
export function focused(page: Page): Promise<string> {
  return page.evaluate('document.activeElement.name || document.activeElement.textContent')
}

/** Waits until a place has the focus: a new part of a page takes it after it is shown. */
export function waitForFocus(place: Locator): Promise<void> {
  return place.and(place.page().locator(':focus')).waitFor()
}

export async function heading(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

export async function fillSignIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByRole('textbox', { name: 'Email address' }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** The page with its data. The heading is shown before, and a session that ends in between leaves only the heading. */
export async function loaded(page: Page, title: string | RegExp): Promise<void> {
  await heading(page, title)
  // A closed part of a page loads when it is opened.
  await page.getByText('Loading…').filter({ visible: true }).first().waitFor({ state: 'detached' })
  await settled(page)
}

/** Waits until no tab waits for a response: the pages send each request under this lock. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate("navigator.locks.request('session token', () => {})")
}

/** Opens the account in a session of its own, and waits for its data. */
export async function openAccount(page: Page, service: Service, email: string): Promise<void> {
  await openSession(page, service, email)
  await page.goto('/account')
  await loaded(page, 'Your account')
}

/** A session in the browser, without password hashing: its thread has the lowest priority, and waits for seconds. */
export async function openSession(page: Page, service: Service, email: string): Promise<void> {
  const { id } = await service.context.database
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  const { client } = await sessionOf(service, { id, email })
  const cookies = [...client.cookies].map(([name, value]) => ({
    name,
    value,
    url: service.baseUrl,
    httpOnly: true,
    sameSite: 'Lax' as const,
  }))
  await page.context().addCookies(cookies)
}

/** Signs in without the sign-in page, which takes half a second. For tests of the sign-in, its session or its device. */
export async function signInByRequest(page: Page, email: string, password = PASSWORD): Promise<void> {
  const answer = await page.request.post('/api/auth/sign-in/email', {
    data: { email, password },
    headers: { 'sec-fetch-site': 'same-origin' },
  })
  assert.equal(answer.status(), 200)
}

/** Lets the session of the page, of an administrator, impersonate a user. */
export async function impersonate(page: Page, userId: string, reason = 'ticket 4711'): Promise<void> {
  const answer = await page.request.post('/api/auth/admin/impersonate-user', {
    data: { userId, reason },
    headers: { 'sec-fetch-site': 'same-origin' },
  })
  assert.equal(answer.status(), 200, await answer.text())
}

/** Opens the newest email to an address in the dev mailbox. */
export async function openEmail(page: Page, email: string): Promise<void> {
  await page.goto('/dev/mailbox')
  await page.getByRole('list').getByRole('button').filter({ hasText: email }).first().click()
}

/** Follows a link in the open email. */
export function followLink(page: Page, name: string): Promise<void> {
  return page.frameLocator('iframe').getByRole('link', { name }).click()
}

/** Asserts that places are absent. What a page shows earlier says nothing of requests that are still without a response. */
export async function assertAbsent(...places: Locator[]): Promise<void> {
  for (const place of places) {
    // The frames before let the page send its requests, and those after let it show the responses.
    await waitForFrames(place.page())
    await settled(place.page())
    await waitForFrames(place.page())
    assert.equal(await place.count(), 0, String(place))
  }
}

/** Waits for two frames, after which the page shows its last change. */
export async function waitForFrames(page: Page): Promise<void> {
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
}
