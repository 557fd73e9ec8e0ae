import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { newVirtualAuthenticator } from '../support/browser.ts'
import { inBrowser } from '../support/pages.ts'
import { userWithPasskey } from '../support/passkeys.ts'
import { holdNext, loseNextResponse, routeForNow, routeOnce } from '../support/route-once.ts'
import { until } from '../support/until.ts'
import { newEmail, newMember, PASSWORD } from '../support/users.ts'
import { heading, openSession, waitForFrames } from '../support/visits.ts'

const STALE_MILLISECONDS = 16 * 60_000

async function cookieOf(page: Page): Promise<string> {
  return (await page.context().cookies()).find(({ name }) => name === 'session')?.value ?? ''
}

/** Holds the page's next request back, with the cookie that it was sent with, until `release`. */
async function holdBack(page: Page, path: string): Promise<{ isSent: Promise<void>; release: () => void }> {
  const sent = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  await routeOnce(page, `**${path}`, async (route) => {
    const headers = { ...route.request().headers(), cookie: `session=${await cookieOf(page)}` }
    sent.resolve()
    await released.promise
    await route.fulfill({ response: await route.fetch({ headers }) })
  })
  return { isSent: sent.promise, release: released.resolve }
}

inBrowser('Step-up dialog', (pages) => {
  const visit = async (): Promise<Page> => {
    const { service, newPage } = pages()
    const { email } = await newMember(service)
    const page = await newPage()
    await openSession(page, service, email)
    await page.goto('/account/security#email')
    await page.getByText('This device', { exact: true }).waitFor()
    return page
  }
  const askForAddress = async (page: Page): Promise<string> => {
    const address = newEmail()
    await page.getByLabel('New email address').fill(address)
    await page.getByRole('button', { name: 'Change address' }).click()
    await page.getByRole('dialog').waitFor()
    return address
  }
  /** Asks a user with a password and a passkey, whose session is stale. */
  const askWithPasskey = async () => {
    const page = await visit()
    await newVirtualAuthenticator(page)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    pages().service.advance(STALE_MILLISECONDS)
    const address = await askForAddress(page)
    return { page, address }
  }

  test('Step-up by password replaces the token, and a concurrent request of another tab stays signed in', async () => {
    const page = await visit()
    const other = await page.context().newPage()
    await other.goto('/account/security')
    await other.getByText('This device', { exact: true }).waitFor()
    pages().service.advance(STALE_MILLISECONDS)
    const stolen = await cookieOf(page)
    const address = await askForAddress(page)

    const visited: string[] = []
    other.on('framenavigated', (frame) => visited.push(new URL(frame.url()).pathname))
    const held = await holdBack(other, '/api/auth/get-session')
    await other.reload()
    await held.isSent
    const answered = page.waitForResponse('**/api/auth/verify-password')
    await page.getByRole('dialog').getByLabel('Your password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Go on' }).click()
    const isWaiting = 'navigator.locks.query().then(({ pending }) => pending.some(({ mode }) => mode === "exclusive"))'
    const waits = until(
      () => page.evaluate<boolean>(isWaiting),
      'verify-password waits for the request of the other tab',
    )
    await Promise.race([waits, answered])
    held.release()

    await page.getByText(`if ${address} can be used`).waitFor()
    await other.getByText('This device', { exact: true }).waitFor()
    assert.deepEqual([...new Set(visited)], ['/account/security'])
    assert.notEqual(await cookieOf(page), stolen)
    const headers = { authorization: `Bearer ${stolen}` }
    const answer = await pages().service.client().get('/api/auth/get-session', { headers })
    assert.equal(answer.body, null)
    await page.reload()
    await heading(page, 'Security')
  })

  test('Step-up by passkey continues the request of the page', async () => {
    const { page, address } = await askWithPasskey()
    await page.getByRole('dialog').getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText(`if ${address} can be used`).waitFor()
    await page.reload()
    await heading(page, 'Security')
  })

  test('A step-up whose response is lost can be repeated, with a password and with a passkey', async () => {
    const { page, address } = await askWithPasskey()
    const dialog = page.getByRole('dialog')
    await loseNextResponse(page, '**/verify-password')
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await dialog.getByRole('alert').getByText('Check your connection, then try again.').waitFor()
    await loseNextResponse(page, '**/passkey/verify-authentication')
    await dialog.getByRole('button', { name: 'Use a passkey' }).click()
    await dialog.getByRole('alert').getByText('Check your connection, then try again.').nth(1).waitFor()
    await dialog.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText(`if ${address} can be used`).waitFor()
  })

  test('Cancel and Escape do not close the step-up dialog while it sends its answer', async () => {
    const page = await visit()
    pages().service.advance(STALE_MILLISECONDS)
    const address = await askForAddress(page)
    const dialog = page.getByRole('dialog')
    const held = await holdNext(page, '**/verify-password')
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await held.sent
    await dialog.getByRole('button', { name: 'Cancel' }).click({ force: true })
    // Chromium closes a dialog when Escape is pressed for the second time.
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await waitForFrames(page)
    assert.ok(await dialog.isVisible())
    held.release()
    await page.getByText(`if ${address} can be used`).waitFor()
    assert.equal(await dialog.count(), 0)
  })

  test('Cancel closes the step-up dialog while it waits for an authenticator', async () => {
    const { service, newPage } = pages()
    const { email } = await userWithPasskey(service)
    const page = await newPage()
    const authenticator = await newVirtualAuthenticator(page)
    await authenticator.setUserPresent(false)
    await openSession(page, service, email)
    await page.goto('/account/security#email')
    await page.getByText('This device', { exact: true }).waitFor()
    service.advance(STALE_MILLISECONDS)
    await askForAddress(page)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Use a passkey' }).click()
    await dialog.getByText('Follow your browser…').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('alert').waitFor()
  })

  test('Cancel closes the step-up dialog, also after a refused answer, and the change is not made', async () => {
    const page = await visit()
    pages().service.advance(STALE_MILLISECONDS)
    await askForAddress(page)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Your password').fill('a wrong guess')
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await dialog.locator('[aria-invalid=true]').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('alert').waitFor()
  })

  test('Step-up of a user with a password does not wait for the passkeys', async () => {
    const { service, newPage } = pages()
    const { email, organization } = await newMember(service, 'owner')
    const page = await newPage()
    await openSession(page, service, email)
    await page.goto(`/organizations/${organization.slug}/api-keys`)
    await page.getByLabel('Name', { exact: true }).fill('Export')
    service.advance(STALE_MILLISECONDS)
    const held = await holdNext(page, '**/list-user-passkeys')
    await page.getByRole('button', { name: 'Create API key' }).click()
    await held.sent
    await page.getByRole('dialog').getByLabel('Your password').and(page.locator(':focus')).waitFor()
    held.release()
  })

  test('Step-up of a user without a password opens with the passkey button, or says why there is none', async () => {
    const { service, newPage } = pages()
    const { email, id, organization } = await newMember(service, 'owner')
    const page = await newPage()
    await openSession(page, service, email)
    await newVirtualAuthenticator(page)
    await page.goto('/account/security')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    await service.context.database.deleteFrom('accounts').where('userId', '=', id).execute()
    service.advance(STALE_MILLISECONDS)
    const dialog = page.getByRole('dialog')
    const createKey = async () => {
      await page.goto(`/organizations/${organization.slug}/api-keys`)
      await page.getByLabel('Name', { exact: true }).fill('Export')
      await page.getByRole('button', { name: 'Create API key' }).click()
    }

    const held = await holdNext(page, '**/list-user-passkeys')
    await createKey()
    await held.sent
    assert.equal(await dialog.count(), 0)
    held.release()
    await dialog.getByRole('button', { name: 'Use a passkey' }).and(page.locator(':focus')).waitFor()

    const letPass = await routeForNow(page, '**/list-user-passkeys', (route) =>
      route.fulfill({ status: 429, json: { code: 'TOO_MANY_REQUESTS', message: 'Too many requests.' } }),
    )
    await createKey()
    const again = dialog.getByRole('alert').getByRole('button', { name: 'Try again' })
    await again.waitFor()
    letPass()
    await again.click()
    await dialog.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('It is shown only this once').waitFor()
  })
})
