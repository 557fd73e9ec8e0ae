import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { newVirtualAuthenticator } from '../support/browser.ts'
import { insertTestClient } from '../support/oauth-clients.ts'
import { startOtherApp } from '../support/other-app.ts'
import { inBrowser } from '../support/pages.ts'
import { holdNext, routeOnce } from '../support/route-once.ts'
import { enableTotp } from '../support/two-step.ts'
import { administratorWithOrganization, invite, linkIn, newMember, PASSWORD } from '../support/users.ts'
import { fillSignIn, followLink, heading, openEmail, openSession } from '../support/visits.ts'

const app = await startOtherApp()
const { pathOf, assertReturned, redirectUri } = app

inBrowser('Sign-in for apps', (pages) => {
  after(() => app.stop())

  /** A client of the service, which needs no consent. */
  const newClient = () =>
    insertTestClient(pages().service, { redirect_uris: [redirectUri] }, { skipConsent: 1, createdBy: 'usr_operator' })
  const emailField = (page: Page) => page.getByRole('textbox', { name: 'Email address' })

  test('Sign-in for an app names it, keeps the way over reload and second step, and returns with a code', async () => {
    const user = await newMember(pages().service)
    const { codeAt } = await enableTotp(pages().service, user)
    const page = await pages().newPage()
    await page.goto('/forgot-password')
    await page.goto(await pathOf(await newClient(), { login_hint: user.email }))
    await page.getByText('to go on to Grafana').waitFor()
    assert.equal(await emailField(page).inputValue(), user.email)
    await page.reload()
    await fillSignIn(page, user.email, 'a wrong guess')
    await page.getByRole('alert').getByText('don’t go together').waitFor()
    await fillSignIn(page, user.email)
    await heading(page, 'Enter the code')
    await page.reload()
    await page.getByRole('button', { name: 'Back to the password' }).click()
    await page.getByText('to go on to Grafana').waitFor()
    await fillSignIn(page, user.email)
    await page.getByLabel('Code of your authenticator app').fill(codeAt(pages().service.context.now()))
    await assertReturned(page)
    await page.goBack()
    assert.equal(new URL(page.url()).pathname, '/forgot-password', 'going back does not bounce')
  })

  test('An app that wants another sign-in gets one although a session lives, also by way of a forgotten password', async () => {
    const { email } = await newMember(pages().service)
    const page = await pages().newPage()
    await openSession(page, pages().service, email)
    await page.goto(await pathOf(await newClient(), { prompt: 'login' }))
    await heading(page, 'Confirm that it’s you')
    await page.getByText('Sign in again to go on to Grafana.').waitFor()
    assert.equal(await emailField(page).inputValue(), email)
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await heading(page, 'Forgot your password?')
    await page.getByRole('link', { name: 'Back to sign in' }).click()
    await heading(page, 'Confirm that it’s you')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).dblclick()
    await assertReturned(page)
  })

  test('An app that asks for the account (prompt=select_account) gets an empty field, and another user signs in', async () => {
    const [present, other] = [await newMember(pages().service), await newMember(pages().service)]
    const page = await pages().newPage()
    await openSession(page, pages().service, present.email)
    await page.goto(await pathOf(await newClient(), { prompt: 'select_account' }))
    await page.getByText('to go on to Grafana').waitFor()
    assert.equal(await emailField(page).inputValue(), '')
    await fillSignIn(page, other.email)
    await assertReturned(page)
  })

  test('An app that wants another sign-in takes a passkey, also of another account', async () => {
    const [first, other] = [await newMember(pages().service), await newMember(pages().service)]
    const page = await pages().newPage()
    await openSession(page, pages().service, other.email)
    const authenticator = await newVirtualAuthenticator(page)
    await page.goto('/account/security')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    // The authenticator would answer the suggestion of the browser immediately.
    await authenticator.setUserPresent(false)
    for (const email of [other.email, first.email]) {
      await openSession(page, pages().service, email)
      const suggested = page.waitForResponse('**/generate-authenticate-options*')
      await page.goto(await pathOf(await newClient(), { prompt: 'login' }))
      await heading(page, 'Confirm that it’s you')
      await suggested
      const { sent, release } = await holdNext(page, '**/generate-authenticate-options*')
      await page.getByRole('button', { name: 'Use a passkey' }).click()
      await sent
      await page.getByLabel('Keep me signed in on this device').uncheck()
      // A suggestion begins after this response of the browser, and must not be answered.
      await page.evaluate('PublicKeyCredential.isConditionalMediationAvailable()')
      await authenticator.setUserPresent(true)
      release()
      await assertReturned(page)
      await authenticator.setUserPresent(false)
      await page.goto('/account')
      await page.getByText(other.email).first().waitFor()
      const cookie = (await page.context().cookies()).find(({ name }) => name === 'session')
      assert.equal(cookie?.expires, -1, 'ends with the browser')
    }
  })

  test('A user with two steps who signs in again can leave the window to get the code', async () => {
    const user = await newMember(pages().service)
    const page = await pages().newPage()
    await openSession(page, pages().service, user.email)
    const { codeAt } = await enableTotp(pages().service, user)
    await page.goto(await pathOf(await newClient(), { prompt: 'login' }))
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await heading(page, 'Enter the code')
    await page.clock.install()
    // A page that waits for the dialog of an ended session sends two of these requests at most.
    for (const _ of [1, 2, 3]) {
      await page.clock.fastForward(60_000)
      const response = page.waitForResponse('**/get-session')
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
      await (await response).finished()
    }
    assert.equal(await page.getByRole('dialog').count(), 0)
    await page.getByLabel('Code of your authenticator app').fill(codeAt(pages().service.context.now()))
    await assertReturned(page)
  })

  test('A password reset and a sign-up by invitation lead to the app', async () => {
    const { service, newPage } = pages()
    const { email } = await newMember(pages().service)
    const client = await newClient()
    const page = await newPage()
    await page.goto(await pathOf(client))
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await emailField(page).fill(email)
    await page.getByRole('button', { name: 'Send link' }).click()
    await heading(page, 'Look in your mailbox')
    const inbox = await page.context().newPage()
    await openEmail(inbox, email)
    await followLink(inbox, 'Choose a new password')
    await inbox.getByLabel('New password').fill('a brand new battery staple')
    await inbox.getByRole('button', { name: 'Save password' }).click()
    await inbox.getByText('to go on to Grafana').waitFor()
    await fillSignIn(inbox, email, 'a brand new battery staple')
    await assertReturned(inbox)

    const hire = await newPage()
    await hire.goto((await invite(service, await administratorWithOrganization(service))).linkPath)
    await heading(hire, 'Create your account')
    await hire.goto(await pathOf(client))
    await hire.getByRole('link', { name: 'Create an account with your invitation' }).click()
    await hire.getByLabel('Your name').fill('Hilda Hire')
    await hire.getByLabel('Password', { exact: true }).fill(PASSWORD)
    // With status 204, the browser stays on the page, as it does while a slow app answers.
    await routeOnce(hire, '**/api/auth/oauth2/authorize/*', (route) => route.fulfill({ status: 204 }))
    const left = hire.waitForRequest('**/api/auth/oauth2/authorize/*')
    await hire.getByRole('button', { name: 'Create account' }).click()
    const wayBack = (await left).url()
    await heading(hire, 'Welcome to Example Works')
    assert.equal(await hire.getByRole('main').getByRole('link').count(), 0, 'the way back works once')
    await hire.goto(wayBack)
    await assertReturned(hire)
  })

  test('A password reset says that the new password is saved, also when the sign-in for the app has expired', async () => {
    const { service, newPage } = pages()
    const { email } = await newMember(service)
    const page = await newPage()
    await page.goto(await pathOf(await newClient()))
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await emailField(page).fill(email)
    // The sign-in and the link each live for an hour.
    service.advance(30 * 60_000)
    await page.getByRole('button', { name: 'Send link' }).click()
    await heading(page, 'Look in your mailbox')
    await page.goto(await linkIn(service, email))
    await page.getByLabel('New password').fill('a brand new battery staple')
    service.advance(45 * 60_000)
    await page.getByRole('button', { name: 'Save password' }).click()
    await heading(page, 'This sign-in has expired')
    await page.getByText('Your new password is saved. Sign in with it.').waitFor()
  })

  test('A passkey that the browser suggests leads to the app', async () => {
    const { email } = await newMember(pages().service)
    const page = await pages().newPage()
    await openSession(page, pages().service, email)
    await newVirtualAuthenticator(page)
    await page.goto('/account/security')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    await page.context().clearCookies()
    await page.goto(await pathOf(await newClient()))
    await assertReturned(page)
  })

  test('After a sign-in in one tab, the other tab goes on to its app by itself', async () => {
    const { email } = await newMember(pages().service)
    const first = await pages().newPage()
    const second = await first.context().newPage()
    for (const page of [first, second]) {
      await page.goto(await pathOf(await newClient()))
      await page.getByText('to go on to Grafana').waitFor()
    }
    await fillSignIn(first, email)
    await assertReturned(first)
    await assertReturned(second)
  })

  test('A signed-in browser leaves the sign-in page once, and never goes in circles', async () => {
    const { email } = await newMember(pages().service)
    const page = await pages().newPage()
    await page.goto(await pathOf(await newClient()))
    await page.getByText('to go on to Grafana').waitFor()
    const signIn = page.url()
    let left = 0
    await page.route('**/api/auth/oauth2/authorize/*', (route) => {
      left++
      return route.fulfill({ status: 303, headers: { location: signIn } })
    })
    await openSession(page, pages().service, email)
    await page.reload()
    await heading(page, 'Confirm that it’s you')
    assert.equal(left, 1)
  })

  test('A sign-in that has expired says so, and what to do', async () => {
    const page = await pages().newPage()
    await page.goto('/sign-in?interaction=unknown')
    await heading(page, 'This sign-in has expired')
    await page.getByText('Go back to the app that you came from, and sign in there again.').waitFor()
  })
})
