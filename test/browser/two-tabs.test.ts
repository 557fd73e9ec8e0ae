import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE_MILLISECONDS } from '../../server/platform/time/time-units.ts'
import { inBrowser } from '../support/pages.ts'
import { holdNext, routeForNow } from '../support/route-once.ts'
import {
  administratorWithOrganization,
  linkIn,
  newEmail,
  newMember,
  PASSWORD,
  signedIn,
  type TestUser,
} from '../support/users.ts'
import {
  fillSignIn,
  focused,
  heading,
  loaded,
  openAccount,
  openSession,
  settled,
  signInByRequest,
  waitForFrames,
} from '../support/visits.ts'

inBrowser('Pages and their session', (pages) => {
  /** The name of the user, by the API. */
  const nameOf = async ({ client }: TestUser) => (await client.get('/api/auth/get-session')).body.user.name

  test('A form of one user changes nothing after another user signed in in another tab', async () => {
    const [first, second] = [await newMember(pages().service), await newMember(pages().service)]
    await second.client.post('/api/auth/update-user', { name: 'Tabea Tab' })
    const page = await pages().newPage()
    await openAccount(page, pages().service, first.email)
    // The tab is not told, as in a browser without BroadcastChannel.
    await signInByRequest(page, second.email)
    await page.getByLabel('Your name').fill('Written by the wrong tab')
    await page.getByRole('button', { name: 'Save' }).click()
    await heading(page, 'You are now signed in as Tabea Tab')
    await page.getByText('nothing more is sent from it').waitFor()
    assert.equal(await nameOf(second), 'Tabea Tab')
    await page.getByRole('button', { name: 'Reload this page' }).click()
    await heading(page, 'Your account')
    assert.equal(await page.getByLabel('Your name').inputValue(), 'Tabea Tab')
  })

  test('A tab learns immediately that another user signed in in another tab', async () => {
    const [first, second] = [await newMember(pages().service), await newMember(pages().service)]
    const page = await pages().newPage()
    await openAccount(page, pages().service, first.email)
    const other = await page.context().newPage()
    await other.goto('/account')
    await other.getByRole('button', { name: 'Sign out' }).click()
    await heading(other, 'Sign in')
    await page.getByRole('dialog', { name: 'You have been signed out' }).waitFor()
    await fillSignIn(other, second.email)
    await heading(other, 'Your account')
    await heading(page, /^You are now signed in as/)
  })

  test('A step-up dialog gives way to the page that says that another user signed in', async () => {
    const { service, newPage } = pages()
    const [first, second] = [await newMember(service), await newMember(service)]
    const page = await newPage()
    await openSession(page, service, first.email)
    await page.goto('/account/security#email')
    await page.getByText('This device', { exact: true }).waitFor()
    service.advance(16 * MINUTE_MILLISECONDS)
    await page.getByLabel('New email address').fill(newEmail())
    await page.getByRole('button', { name: 'Change address' }).click()
    const dialog = page.getByRole('dialog', { name: 'Is it still you?' })
    await dialog.waitFor()
    await signInByRequest(page, second.email)
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await heading(page, /^You are now signed in as/)
    assert.equal(await dialog.count(), 0)
    await page.getByRole('button', { name: 'Reload this page' }).click()
    await heading(page, 'Security')
  })

  test('A session that ends in mid-work asks to sign in, keeps the form and repeats the request', async () => {
    const user = await newMember(pages().service)
    const page = await pages().newPage()
    await openAccount(page, pages().service, user.email)
    const { client } = await signedIn(pages().service, user.email)
    await client.post('/api/auth/revoke-other-sessions')
    await page.getByLabel('Your name').fill('Hilda Midwork')
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'You have been signed out' })
    await dialog.getByLabel('Your password').fill('a wrong guess')
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Saved.').waitFor()
    assert.equal((await client.get('/api/auth/get-session')).body.user.name, 'Hilda Midwork')
  })

  test('A session that ends while a page loads its data asks to sign in, and then the page has the data', async () => {
    const { service, newPage } = pages()
    const user = await newMember(service)
    const page = await newPage()
    await openSession(page, service, user.email)
    const letPass = await routeForNow(page, '**/organization/list-user-invitations', async (route) => {
      await service.context.database.deleteFrom('sessions').where('userId', '=', user.id).execute()
      await route.continue()
    })
    await page.goto('/account')
    await heading(page, 'Your account')
    const dialog = page.getByRole('dialog', { name: 'You have been signed out' })
    await dialog.waitFor()
    letPass()
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await loaded(page, 'Your account')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
  })

  test('A user who signs in again in one tab goes on in the other tabs', async () => {
    const user = await newMember(pages().service)
    const page = await pages().newPage()
    await openAccount(page, pages().service, user.email)
    const other = await page.context().newPage()
    await other.goto('/account')
    await page.getByLabel('Your name').fill('Hilda Kept')
    await other.getByRole('button', { name: 'Sign out' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await fillSignIn(other, user.email)
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
  })

  test('Two tabs whose session has ended go on after a sign-in in the dialog of one of them', async () => {
    const user = await newMember(pages().service)
    const page = await pages().newPage()
    await openAccount(page, pages().service, user.email)
    const other = await page.context().newPage()
    await other.goto('/account')
    await loaded(other, 'Your account')
    const { client } = await signedIn(pages().service, user.email)
    await client.post('/api/auth/revoke-other-sessions')
    for (const tab of [page, other]) {
      await tab.getByLabel('Your name').fill('Hilda Kept')
      await tab.getByRole('button', { name: 'Save' }).click()
      await tab.getByRole('dialog', { name: 'You have been signed out' }).waitFor()
    }
    const dialog = other.getByRole('dialog')
    await dialog.getByLabel('Keep me signed in on this device').uncheck()
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await other.getByText('Saved.').waitFor()
    await page.getByText('Saved.').waitFor()
    const cookie = (await page.context().cookies()).find(({ name }) => name === 'session')
    assert.equal(cookie?.expires, -1, 'ends with the browser')
  })

  test('The dialog of an ended session does not wait for itself after a sign-in that the tab was not told of', async () => {
    const user = await newMember(pages().service)
    const page = await pages().newPage()
    await openAccount(page, pages().service, user.email)
    const { client } = await signedIn(pages().service, user.email)
    await client.post('/api/auth/revoke-other-sessions')
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await signInByRequest(page, user.email)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Saved.').waitFor()
  })

  test("The dialog of an ended session stays when another tab has signed in and the service can't be reached", async () => {
    const user = await newMember(pages().service)
    const page = await pages().newPage()
    await openAccount(page, pages().service, user.email)
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor()
    await page.context().setOffline(true)
    const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/get-session'))
    await page.evaluate("new BroadcastChannel('session').postMessage('changed')")
    await failed
    await page.getByText('You are offline').waitFor()
    await page.getByRole('dialog', { name: 'You have been signed out' }).waitFor()
  })

  test('The dialog of an ended session shows nothing of the user, not even after the keys of "Go to"', async () => {
    const founder = await administratorWithOrganization(pages().service)
    const page = await pages().newPage()
    await openAccount(page, pages().service, founder.email)
    // This loads the script of the dialog, which could then open without a request.
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Go to' }).waitFor()
    await page.keyboard.press('Escape')
    const { client } = await signedIn(pages().service, founder.email)
    await client.post('/api/auth/revoke-other-sessions')
    await page.getByLabel('Your name').fill('Ada Away')
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'You have been signed out' })
    await dialog.waitFor()
    await page.keyboard.press('Control+k')
    await waitForFrames(page)
    assert.deepEqual(await page.getByRole('dialog').getByRole('heading').allTextContents(), [
      'You have been signed out',
    ])
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Saved.').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Go to' }).waitFor()
  })

  for (const [file, name, leave] of [
    ['SignInAgainDialog', 'A dialog of an ended session whose script is missing', 'Leave this page'],
    ['StepUpDialog', 'A step-up dialog whose script is missing', 'Cancel'],
  ] as const)
    test(`${name} says so, and ends the request that asked`, async () => {
      const founder = await administratorWithOrganization(pages().service)
      const page = await pages().newPage()
      await openAccount(page, pages().service, founder.email)
      await page.goto('/account/security#email')
      await page.getByText('This device', { exact: true }).waitFor()
      await settled(page)
      await page.route(`**/assets/${file}*.js`, (route) => route.fulfill({ status: 404 }))
      if (file === 'StepUpDialog') pages().service.advance(16 * 60_000)
      else await (await signedIn(pages().service, founder.email)).client.post('/api/auth/revoke-other-sessions')
      await page.getByLabel('New email address').fill(newEmail())
      await page.getByRole('button', { name: 'Change address' }).click()
      const dialog = page.getByRole('dialog', { name: 'A part of this page could not be loaded' })
      await dialog.getByRole('button', { name: 'Load the page again' }).waitFor()
      await dialog.getByRole('button', { name: leave }).click()
      if (file === 'SignInAgainDialog') return heading(page, 'Sign in')
      await page.getByRole('alert').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Change address' }).getAttribute('aria-disabled'), 'false')
      assert.notEqual(await page.getByLabel('New email address').inputValue(), '')
    })

  test('A page that Back restores after a sign-out elsewhere hides what it shows', async () => {
    const { email } = await newMember(pages().service)
    const page = await pages().newPage()
    await openAccount(page, pages().service, email)
    await page.request.post('/api/auth/sign-out', { data: {}, headers: { 'sec-fetch-site': 'same-origin' } })
    // Chromium stores no page while a program controls it.
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    await page.getByRole('dialog').getByRole('heading', { name: 'You have been signed out' }).waitFor()
  })

  test('Escape and “Leave this page” do not close the dialog of an ended session while the user signs in', async () => {
    const user = await newMember(pages().service)
    const page = await pages().newPage()
    await openAccount(page, pages().service, user.email)
    const { client } = await signedIn(pages().service, user.email)
    await client.post('/api/auth/revoke-other-sessions')
    await page.getByLabel('Your name').fill('Hilda Patient')
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'You have been signed out' })
    const held = await holdNext(page, '**/sign-in/email')
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await held.sent
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Leave this page' }).click({ force: true })
    await waitForFrames(page)
    assert.ok(await dialog.isVisible())
    held.release()
    await page.getByText('Saved.').waitFor()
    assert.equal(await nameOf({ ...user, client }), 'Hilda Patient')
  })

  test('A user who leaves the dialog of an ended session gets to the sign-in page', async () => {
    const user = await newMember(pages().service)
    const page = await pages().newPage()
    await openAccount(page, pages().service, user.email)
    const { client } = await signedIn(pages().service, user.email)
    await client.post('/api/auth/revoke-other-sessions')
    await page.getByRole('link', { name: 'Security' }).click()
    await page.getByRole('button', { name: 'Leave this page' }).click()
    await heading(page, 'Sign in')
    await fillSignIn(page, user.email)
    await heading(page, 'Security')
  })

  test('The dialog of an ended session says what to do when the email address has changed elsewhere', async () => {
    const { service, newPage } = pages()
    const { id, email } = await newMember(service)
    const page = await newPage()
    await openAccount(page, service, email)
    await service.context.database.updateTable('users').set({ email: newEmail() }).where('id', '=', id).execute()
    await service.context.database.deleteFrom('sessions').where('userId', '=', id).execute()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').getByLabel('Your password').fill(PASSWORD)
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('If your email address has changed, leave this page and sign in with the new one.').waitFor()
  })

  test('After a user has left the dialog of an ended session, the next user sees nothing of the former one', async () => {
    const { service } = pages()
    const owner = await administratorWithOrganization(service)
    await owner.client.post('/api/auth/organization/update', { data: { name: 'Paradise Papers' } })
    const page = await pages().newPage()
    await openAccount(page, service, owner.email)
    await page.goto(`/organizations/${owner.organization.slug}`)
    await page.getByText('Paradise Papers').first().waitFor()
    const other = await page.context().newPage()
    await other.goto('/account')
    await other.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave this page' }).click()
    await heading(page, 'Sign in')
    for (const held of ['list', 'get-overview**']) await page.route(`**/api/auth/organization/${held}`, () => {})
    await fillSignIn(other, (await newMember(service)).email)
    await page.waitForURL('/account')
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    assert.doesNotMatch((await page.locator('#root').textContent()) ?? '', /Paradise Papers/)
  })

  test('A page without a network says so immediately, and sends nothing by itself later', async () => {
    const user = await newMember(pages().service)
    const page = await pages().newPage()
    await openAccount(page, pages().service, user.email)
    const before = await nameOf(user)
    await page.context().setOffline(true)
    const bar = page.getByText('You are offline')
    await bar.waitFor()
    await page.getByLabel('Your name').fill('Sent by itself')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('can’t be reached').waitFor()
    await page.context().setOffline(false)
    await bar.waitFor({ state: 'detached' })
    await page.getByRole('alert').getByText('can’t be reached').waitFor()
    assert.equal(await nameOf(user), before)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
  })

  test('A change without a response is shown as possibly made after 30 seconds, and blocks no other tab', async () => {
    const { email } = await newMember(pages().service)
    const page = await pages().newPage()
    await page.clock.install()
    await openAccount(page, pages().service, email)
    const other = await page.context().newPage()
    await other.goto('/account')
    await heading(other, 'Your account')
    const isSent = page.waitForRequest('**/api/auth/update-user')
    await page.route('**/api/auth/update-user', () => {})
    await page.getByLabel('Your name').fill('Hilda Held')
    await page.getByRole('button', { name: 'Save' }).click()
    await isSent
    // Both tabs share the clock.
    await page.clock.fastForward(31_000)
    await page.getByRole('alert').getByText('No response came. The change may have been made').waitFor()
    await other.getByLabel('Your name').fill('Hilda Going On')
    await other.getByRole('button', { name: 'Save' }).click()
    await other.getByText('Saved.').waitFor()
  })

  test('A sign-in without a response says to try again, because it may be repeated', async () => {
    const { email } = await newMember(pages().service)
    const page = await pages().newPage()
    await page.clock.install()
    await page.goto('/sign-in')
    const isSent = page.waitForRequest('**/api/auth/sign-in/email')
    await page.route('**/api/auth/sign-in/email', () => {})
    await fillSignIn(page, email)
    await isSent
    await page.clock.fastForward(31_000)
    await page.getByRole('alert').getByText('The service can’t be reached.').waitFor()
  })

  test('A notice of success vanishes with the next submit', async () => {
    const { email } = await newMember(pages().service)
    const page = await pages().newPage()
    await openAccount(page, pages().service, email)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByLabel('Your name').fill(' ')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Enter your name').waitFor()
    assert.equal(await page.getByText('Saved.').count(), 0)
    assert.equal(await focused(page), 'name')
  })

  test('A tab with a saved password goes on after its user has signed in in another tab, and leaves another user the choice', async () => {
    const { service, newPage } = pages()
    const user = await newMember(service)
    const page = await newPage()
    for (const signedIn of [user, await newMember(service)]) {
      await service.client().post('/api/auth/request-password-reset', { email: user.email })
      await page.goto(await linkIn(service, user.email))
      await page.getByLabel('New password', { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Save password' }).click()
      await page.getByText('Your new password is saved.').waitFor()
      const other = await page.context().newPage()
      await other.goto('/sign-in')
      await fillSignIn(other, signedIn.email)
      await heading(other, 'Your account')
      if (signedIn === user) await heading(page, 'Your account')
    }
    await page.getByRole('link', { name: 'Go to your account' }).waitFor()
    await page.getByText('Your new password is saved.').waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'Email address' }).inputValue(), user.email)
    assert.equal(await page.getByText('undefined').count(), 0)
    await page.getByRole('link', { name: 'Go to your account' }).click()
    await heading(page, 'Your account')
  })

  test('A mailed link survives a reload until it is used', async () => {
    const { service, newPage } = pages()
    const { email } = await newMember(pages().service)
    await service.client().post('/api/auth/request-password-reset', { email })
    const page = await newPage()
    await page.goto(await linkIn(service, email))
    await page.getByLabel('New password', { exact: true }).waitFor()
    await page.reload()
    await page.getByLabel('New password', { exact: true }).fill('another horse battery')
    await page.getByRole('button', { name: 'Save password' }).click()
    await page.getByText('Your new password is saved.').waitFor()
    assert.equal(await page.evaluate('sessionStorage.length'), 0)
  })

  test('A page without a session asks once for data that is refused for the lack of one', async () => {
    const page = await pages().newPage()
    let requestCount = 0
    await page.route('**/api/invitation', (route) => {
      requestCount += 1
      return route.fulfill({ status: 401, json: { code: 'UNAUTHORIZED', message: 'Sign in again.' } })
    })
    await page.goto('/sign-in')
    await page.getByLabel('Email address').waitFor()
    assert.equal(requestCount, 1)
  })
})
