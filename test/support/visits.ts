import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { PASSWORD } from './users.ts'

/** The name of the focused field, otherwise the text of the focused element. */
export function focused(page: Page): Promise<string> {
  return page.evaluate('document.activeElement.name || document.activeElement.textContent')
}

export async function heading(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

export async function fillSignIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByRole('textbox', { name: 'Email address' }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Signs in and waits for the account. */
export async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await signInByRequest(page, email, password)
  await page.goto('/account')
  await heading(page, 'Your account')
}

/** Signs in without the sign-in page, which takes half a second. Most tests are not about that page. */
export async function signInByRequest(page: Page, email: string, password = PASSWORD): Promise<void> {
  const answer = await page.request.post('/api/auth/sign-in/email', {
    data: { email, password },
    headers: { 'sec-fetch-site': 'same-origin' },
  })
  assert.equal(answer.status(), 200)
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

/** Waits for two frames, after which the page shows its last change. */
export async function waitForFrames(page: Page): Promise<void> {
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
}
