import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newVirtualAuthenticator } from '../support/browser.ts'
import { inBrowser } from '../support/pages.ts'
import { invite, member, owner } from '../support/users.ts'
import { fillSignIn, heading, signIn } from '../support/visits.ts'

inBrowser('Passkeys on the pages', (house) => {
  /** Somebody on their page about security, in a browser with an authenticator that waits for its user. */
  async function visit() {
    const { service, visitor } = house()
    const { email, client } = await member(service, await owner(service))
    const page = await visitor()
    await signIn(page, email)
    const authenticator = await newVirtualAuthenticator(page)
    await page.goto('/account/security')
    await page.getByText('This device', { exact: true }).waitFor()
    return { page, authenticator, email, client }
  }

  test('are added, renamed, and removed after a look at who it is', async () => {
    const { page } = await visit()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).click()
    await page.getByLabel('Name of the passkey').fill(' ')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Enter a name').waitFor()
    await page.getByLabel('Name of the passkey').fill('My telephone')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Remove My telephone' }).waitFor()

    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('This device has a passkey for your account already.').waitFor()

    house().service.advance(16 * 60_000)
    await page.getByRole('button', { name: 'Remove My telephone' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('button', { name: 'Remove My telephone' }).waitFor({ state: 'detached' })
    await page.getByText('This device', { exact: true }).waitFor()
  })

  test('sign in at the press of a button, in a browser that does not suggest them', async () => {
    const { page, email } = await visit()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    // The authenticator of this test would answer the suggestions by itself, before anybody can press the button.
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
    await page.reload()
    await page.getByRole('button', { name: 'Sign out' }).first().click()
    await heading(page, 'Sign in')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await heading(page, 'Your account')
    await page.getByLabel('You', { exact: true }).getByText(email).waitFor()
  })

  test('sign in when chosen from the suggestions at the first field, as long as the page is open', async () => {
    const { page, authenticator, email } = await visit()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).first().click()
    await heading(page, 'Your account')
    await page.getByLabel('You', { exact: true }).getByText(email).waitFor()
    await authenticator.setUserPresent(false)
    await page.getByRole('button', { name: 'Sign out' }).first().click()
    await heading(page, 'Sign in')
    await fillSignIn(page, email)
    await heading(page, 'Your account')
  })

  test('that come to nothing are explained, and the password still works', async () => {
    const { page, authenticator, email } = await visit()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    await authenticator.setUserVerified(false)
    await page.getByRole('button', { name: 'Sign out' }).first().click()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('alert').getByText('Your browser used no passkey.').waitFor()
    await fillSignIn(page, email)
    await heading(page, 'Your account')
  })

  test('make an account without a password, which is shown as such everywhere', async () => {
    const { service, visitor } = house()
    const { email, linkPath } = await invite(service, await owner(service))
    const page = await visitor()
    await newVirtualAuthenticator(page)
    await page.goto(linkPath)
    await page.getByRole('button', { name: 'Use a passkey instead of a password' }).click()
    await page.getByLabel('Your name').fill('Hilda Hire')
    await page.getByRole('button', { name: 'Create account with a passkey' }).click()
    await heading(page, 'Welcome to Example Works')
    await page.goto('/account/security')
    await page.getByText('You sign in without a password.').waitFor()
    await page.getByRole('button', { name: 'Delete my account…' }).click()
    assert.equal(await page.getByLabel('Your password, to confirm').count(), 0)

    service.advance(16 * 60_000)
    await page.getByLabel('New email address').fill(`new-${email}`)
    await page.getByRole('button', { name: 'Change address' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('Look in the new mailbox').waitFor()
    await page.getByRole('listitem').getByText('This device', { exact: true }).waitFor()
  })
})
