import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { newVirtualAuthenticator } from '../support/browser.ts'
import { inBrowser } from '../support/pages.ts'
import { addPasskey } from '../support/passkeys.ts'
import { loseNextResponse } from '../support/route-once.ts'
import {
  administratorWithOrganization,
  linkIn,
  member,
  newMember,
  PASSWORD,
  signedIn,
  tokenIn,
} from '../support/users.ts'
import { fillSignIn, heading, openAccount } from '../support/visits.ts'

const NEW_PASSWORD = 'another horse battery'
const MONTH_MILLISECONDS = 31 * 24 * 3_600_000

inBrowser('Reset page', (pages) => {
  const openLink = async (page: Page, email: string) => {
    await pages().service.client().post('/api/auth/request-password-reset', { email })
    await page.goto(await linkIn(pages().service, email))
    await heading(page, 'Choose a new password')
  }
  const save = async (page: Page, password: string) => {
    await page.getByLabel('New password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Save password' }).click()
  }

  test('The reset page lists the passkeys, marks recent ones as new, and removes the unticked ones', async () => {
    const { service } = pages()
    const { email } = await newMember(service)
    const page = await pages().newPage()
    await openAccount(page, service, email)
    await newVirtualAuthenticator(page)
    await page.goto('/account/security')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).click()
    await page.getByLabel('Name of the passkey').fill('My laptop')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('My laptop').first().waitFor()
    service.advance(MONTH_MILLISECONDS)
    const intruder = await addPasskey(service, await signedIn(service, email))

    await openLink(page, email)
    const own = page.getByLabel('My laptop')
    const planted = page.getByRole('checkbox', { name: /New/ })
    assert.deepEqual([await own.isChecked(), await planted.isChecked()], [true, true])
    assert.equal(await page.getByText('New', { exact: true }).count(), 1)
    await planted.uncheck()
    await save(page, 'short')
    await page.getByText('The password needs at least 8 characters.').waitFor()
    assert.equal(await planted.isChecked(), false)
    await save(page, NEW_PASSWORD)
    // The virtual authenticator accepts the suggestion of the sign-in page, so the passkey of the user still works.
    await heading(page, 'Your account')

    const [message] = await service.emails(email)
    assert.match(message?.text ?? '', /This passkey still opens\s+your account:\s+“My laptop”/)
    const { database } = service.context
    const left = await database.selectFrom('passkeys').select('name').where('userId', '=', intruder.id).execute()
    assert.deepEqual(
      left.map(({ name }) => name),
      ['My laptop'],
    )
  })

  test('A reset that leaves every passkey ticked deletes none', async () => {
    const { service } = pages()
    const { email, id } = await addPasskey(service, await newMember(service))
    const page = await pages().newPage()
    await openLink(page, email)
    await page.getByRole('checkbox', { name: /New/ }).waitFor()
    await save(page, NEW_PASSWORD)
    await page.getByText('Your new password is saved. Sign in with it.').waitFor()
    const { database } = service.context
    const left = await database.selectFrom('passkeys').select('id').where('userId', '=', id).execute()
    assert.equal(left.length, 1)
  })

  test('A passkey that an intruder adds while the reset page is open does not remain', async () => {
    const { service } = pages()
    const own = await addPasskey(service, await newMember(service))
    const page = await pages().newPage()
    await openLink(page, own.email)
    await page.getByRole('checkbox', { name: /New/ }).waitFor()
    await addPasskey(service, await signedIn(service, own.email))
    // The list stays as the user has read it, also after a look at another tab.
    await page.clock.install()
    await page.clock.fastForward('10:00')
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))")
    await save(page, NEW_PASSWORD)
    await page.getByText('Your new password is saved. Sign in with it.').waitFor()
    const { database } = service.context
    const left = await database.selectFrom('passkeys').select('id').where('userId', '=', own.id).execute()
    assert.deepEqual(
      left.map(({ id }) => id),
      [own.passkeyId],
    )
  })

  test('A new password is confirmed in a browser that is signed in as another user', async () => {
    const { service } = pages()
    const founder = await administratorWithOrganization(service)
    const [other, { email }] = [await member(service, founder), await member(service, founder)]
    const page = await pages().newPage()
    await openAccount(page, service, other.email)
    await openLink(page, email)
    await save(page, NEW_PASSWORD)
    await page.getByText('Your new password is saved. Sign in with it.').waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'Email address' }).inputValue(), email)
    await fillSignIn(page, email, NEW_PASSWORD)
    await heading(page, 'Your account')
    await page.getByText(email).first().waitFor()
  })

  test('Another reset link in the tab starts without the error and the text of the one before', async () => {
    const founder = await administratorWithOrganization(pages().service)
    const [first, second] = [await member(pages().service, founder), await member(pages().service, founder)]
    const page = await pages().newPage()
    const accountOf = ({ email }: { email: string }) =>
      page.getByLabel('Your account').and(page.locator(`[value="${email}"]`))
    await openLink(page, first.email)
    await accountOf(first).waitFor()
    await openLink(page, second.email)
    await accountOf(second).waitFor()
    await save(page, 'short')
    await page.getByText('The password needs at least 8 characters.').waitFor()
    await page.goto(await linkIn(pages().service, first.email))
    await accountOf(first).waitFor()
    assert.equal(await page.getByText('The password needs at least 8 characters.').count(), 0)
    assert.equal(await page.getByLabel('New password', { exact: true }).inputValue(), '')
  })

  test('The reset page shows no list to a user without passkeys, and refuses a used link', async () => {
    const { email } = await newMember(pages().service)
    const page = await pages().newPage()
    await openLink(page, email)
    const link = await linkIn(pages().service, email)
    await page.getByLabel('New password', { exact: true }).waitFor()
    assert.equal(await page.getByText('Your passkeys').count(), 0)
    await save(page, NEW_PASSWORD)
    await fillSignIn(page, email, NEW_PASSWORD)
    await heading(page, 'Your account')
    await page.goto(link)
    await heading(page, 'This link doesn’t work')
  })

  test('A new password whose response was lost can be used to sign in, also after the link is used again', async () => {
    const { service, newPage } = pages()
    const { email } = await newMember(service)
    const page = await newPage()
    await openLink(page, email)
    await loseNextResponse(page, '**/api/auth/reset-password')
    await save(page, NEW_PASSWORD)
    await page.getByText('If you have saved a new password with it, sign in.').waitFor()
    await page.getByRole('link', { name: 'sign in', exact: true }).click()
    await fillSignIn(page, email, NEW_PASSWORD)
    await heading(page, 'Your account')

    await page.context().clearCookies()
    await openLink(page, email)
    await page.getByLabel('New password', { exact: true }).waitFor()
    const token = await tokenIn(service, email)
    await service.client().post('/api/auth/reset-password', { token, newPassword: PASSWORD })
    await save(page, NEW_PASSWORD)
    await page.getByRole('alert').getByText('If you have saved a new password with it, sign in.').waitFor()
    await page.getByRole('link', { name: 'Sign in', exact: true }).click()
    await heading(page, 'Sign in')
  })
})
