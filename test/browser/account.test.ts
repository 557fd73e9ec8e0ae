import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { newVirtualAuthenticator } from '../support/browser.ts'
import { measureLayoutShift } from '../support/layout-shift.ts'
import { MOMENT_NEAR_NOW } from '../support/moments.ts'
import { inBrowser } from '../support/pages.ts'
import { userWithPasskey } from '../support/passkeys.ts'
import { pngOf } from '../support/png.ts'
import { holdNext } from '../support/route-once.ts'
import {
  administratorWithOrganization,
  invite,
  linkIn,
  member,
  newEmail,
  newMember,
  PASSWORD,
  signedIn,
} from '../support/users.ts'
import {
  assertAbsent,
  fillSignIn,
  focused,
  followLink,
  heading,
  loaded,
  openAccount,
  openEmail,
  openSession,
  settled,
} from '../support/visits.ts'

const STALE_MILLISECONDS = 16 * 60_000
/** After which a tab that is looked at again asks the service again. */
const UNUSED_MILLISECONDS = 11_000
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

inBrowser('Account pages', (pages) => {
  async function visitAs(email: string, path: string): Promise<Page> {
    const page = await pages().newPage()
    await openSession(page, pages().service, email)
    await page.goto(path)
    return page
  }

  test('The account page saves a new name and a picture', async () => {
    const { email, client } = await newMember(pages().service)
    const page = await visitAs(email, '/account')
    await page.getByLabel('Your name').fill('  ')
    await page.getByRole('button', { name: 'Save' }).click()
    assert.equal(await focused(page), 'name')
    await page.getByText('Enter your name').waitFor()
    await page.getByLabel('Your name').fill('Hilda \u202eemanweN')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('There is a hidden character').waitFor()
    await page.getByLabel('Your name').fill('Hilda Newname')
    const picture = { name: 'me.png', mimeType: 'image/png', buffer: await page.screenshot() }
    await page.getByLabel('Choose a picture').setInputFiles(picture)
    await page.getByRole('button', { name: 'Remove your picture' }).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByLabel('You', { exact: true }).getByText('Hilda Newname').waitFor()
    const { body } = await client.get('/api/auth/get-session')
    assert.match(body.user.image, /^data:image\/jpeg;base64,/)

    await page.getByLabel('Choose a picture').setInputFiles({ ...picture, buffer: Buffer.from('no picture') })
    await page.getByText('Your browser can’t read that file').waitFor()
    await page.getByRole('button', { name: 'Remove your picture' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByLabel('Your name').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Enter your name').waitFor()
    assert.equal(await page.getByText('Saved.').count(), 0, 'no success beside an error')
    assert.equal((await client.get('/api/auth/get-session')).body.user.image, null)
  })

  test('A picture that is read slowly does not replace one that was chosen after it', async () => {
    const { email } = await newMember(pages().service)
    const page = await visitAs(email, '/account')
    const files = [
      { width: 300, height: 300 },
      { width: 900, height: 200 },
    ].map(async (size) => {
      const buffer = await page.screenshot({ clip: { x: 0, y: 0, ...size } })
      return { name: 'me.png', mimeType: 'image/png', buffer }
    })
    const [slow, quick] = await Promise.all(files)
    assert.ok(slow && quick)
    await page.evaluate(`{
      const read = createImageBitmap
      const { promise: released, resolve } = Promise.withResolvers()
      globalThis.releaseFirst = resolve
      globalThis.createImageBitmap = (file) => {
        globalThis.createImageBitmap = read
        return (globalThis.first = released.then(() => read(file)))
      }
    }`)
    await page.getByLabel('Choose a picture').setInputFiles(slow)
    await page.getByLabel('Choose a picture').setInputFiles(quick)
    await page.getByRole('button', { name: 'Remove your picture' }).waitFor()
    const shown = await page.locator('input[name=image]').inputValue()
    await page.evaluate('releaseFirst(), first.then(() => new Promise(requestAnimationFrame))')
    assert.equal(await page.locator('input[name=image]').inputValue(), shown)
  })

  test('A new name does not remove a picture that was set elsewhere, before and after the page knows it', async () => {
    const { email, client } = await newMember(pages().service)
    const page = await visitAs(email, '/account')
    const image = pngOf(1, 1)
    await page.getByLabel('Your name').fill('Hilda Newname')
    await client.post('/api/auth/update-user', { image })
    for (const name of ['Hilda Newname', 'Hilda Newer']) {
      await page.getByLabel('Your name').fill(name)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByLabel('You', { exact: true }).getByText(name).waitFor()
      await page.getByRole('button', { name: 'Remove your picture' }).waitFor()
      assert.equal((await client.get('/api/auth/get-session')).body.user.image, image)
    }
  })

  test('A new picture does not restore a name that was changed elsewhere', async () => {
    const { email, client } = await newMember(pages().service)
    const page = await visitAs(email, '/account')
    const picture = { name: 'me.png', mimeType: 'image/png', buffer: await page.screenshot() }
    await page.getByLabel('Choose a picture').setInputFiles(picture)
    await page.getByRole('button', { name: 'Remove your picture' }).waitFor()
    await client.post('/api/auth/update-user', { name: 'Hilda Elsewhere' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    assert.equal(await page.getByLabel('Your name').inputValue(), 'Hilda Elsewhere')
    const { user } = (await client.get('/api/auth/get-session')).body
    assert.equal(user.name, 'Hilda Elsewhere')
    assert.match(user.image, /^data:image/)
  })

  test('A name and a picture that the user chooses while others are saved stay', async () => {
    const { email, client } = await newMember(pages().service)
    const page = await visitAs(email, '/account')
    const picture = { name: 'me.png', mimeType: 'image/png', buffer: await page.screenshot() }
    const other = { ...picture, buffer: await page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 300 } }) }
    const shown = page.locator('input[name=image]')
    await page.getByLabel('Choose a picture').setInputFiles(picture)
    await page.locator('input[name=image]:not([value=""])').waitFor({ state: 'attached' })
    const first = await shown.inputValue()
    await page.getByLabel('Your name').fill('Hilda First')
    const held = await holdNext(page, '**/update-user')
    await page.getByRole('button', { name: 'Save' }).click()
    await held.sent
    await page.getByLabel('Your name').fill('Hilda Second')
    await page.getByLabel('Choose a picture').setInputFiles(other)
    await page.locator(`input[name=image]:not([value="${first}"])`).waitFor({ state: 'attached' })
    const second = await shown.inputValue()
    held.release()
    await page.getByText('Saved.').waitFor()
    assert.equal(await page.getByLabel('Your name').inputValue(), 'Hilda Second')
    assert.ok((await shown.inputValue()) === second, 'the second picture')
    assert.equal(await page.getByText('has changed since you began').count(), 0)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByLabel('You', { exact: true }).getByText('Hilda Second').waitFor()
    assert.ok((await client.get('/api/auth/get-session')).body.user.image === second)
  })

  test('The account page shows open invitations first, and Join adds the organization', async () => {
    const { service } = pages()
    const { email } = await newMember(pages().service)
    await invite(service, await administratorWithOrganization(service), email)
    const page = await visitAs(email, '/account')
    const card = page.getByRole('main').getByRole('region').first()
    await card.getByText('Join Example Works as a member').waitFor()
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
    await card.getByRole('button', { name: 'Join Example Works' }).dblclick()
    const organizations = page.getByRole('region', { name: 'Organizations' }).getByRole('listitem')
    await organizations.nth(1).waitFor()
    assert.match((await organizations.nth(1).textContent()) ?? '', /Member, org-/)
    await page.getByRole('heading', { name: 'You are invited' }).waitFor({ state: 'detached' })
    assert.equal(sent.length, 1, 'a double click sends one request')
  })

  test('The account page does not jump when its invitations come late, and keeps a typed name later', async () => {
    const { service, newPage } = pages()
    const { id, email } = await newMember(pages().service)
    await invite(service, await administratorWithOrganization(service), email)
    const { database } = service.context
    for (const width of [390, 1280]) {
      const page = await newPage({ viewport: { width, height: 800 } })
      const layoutShift = await measureLayoutShift(page)
      await openSession(page, service, email)
      const { promise: listAllowed, resolve } = Promise.withResolvers<void>()
      await page.route('**/list-user-invitations', async (route) => {
        await listAllowed
        await route.continue()
      })
      await Promise.all([page.waitForResponse(/organization\/list\?/), page.goto('/account')])
      await heading(page, 'Your account')
      await layoutShift()
      resolve()
      await page.getByRole('heading', { name: 'You are invited' }).waitFor()
      assert.ok((await layoutShift()) < 0.1, `${width} px: ${await layoutShift()}`)
    }
    await database.updateTable('users').set({ emailVerified: 0 }).where('id', '=', id).execute()
    const page = await newPage()
    await page.clock.install()
    await openAccount(page, service, email)
    await page.getByLabel('Your name').fill('Hilda Newly')
    await page.clock.fastForward(UNUSED_MILLISECONDS)
    await database.updateTable('users').set({ emailVerified: 1 }).where('id', '=', id).execute()
    await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))')
    await page.getByRole('heading', { name: 'You are invited' }).waitFor()
    assert.equal(await page.getByLabel('Your name').inputValue(), 'Hilda Newly')
  })

  test('The account page does not jump when the suggestion of a passkey or the banner of two-step verification comes late', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const { email } = await member(service, founder)
    const loadWithLate = async (path: string, card: string) => {
      const page = await newPage({ viewport: { width: 390, height: 800 } })
      await newVirtualAuthenticator(page)
      const layoutShift = await measureLayoutShift(page)
      await openSession(page, pages().service, email)
      const { promise: isAllowed, resolve } = Promise.withResolvers<void>()
      await page.route(path, async (route) => {
        await isAllowed
        await route.continue()
      })
      await Promise.all([page.waitForResponse(/organization\/list\?/), page.goto('/account')])
      await heading(page, 'Your account')
      await layoutShift()
      resolve()
      await page.getByText(card).waitFor()
      assert.ok((await layoutShift()) < 0.05, `${card}: ${await layoutShift()}`)
    }
    await loadWithLate('**/passkey/list-user-passkeys', 'Sign in without your password next time')
    const required = { organizationId: founder.organization.id, data: { requireTwoFactor: true } }
    assert.equal((await founder.client.post('/api/auth/organization/update', required)).status, 200)
    await loadWithLate('**/two-factor/get-status', 'Example Works asks for two-step verification.')
  })

  test('Join and Decline, and the buttons of a passkey, are beside each other on a telephone', async () => {
    const { service, newPage } = pages()
    const { email } = await userWithPasskey(service)
    await invite(service, await administratorWithOrganization(service), email)
    const page = await newPage({ viewport: { width: 390, height: 800 } })
    await openAccount(page, service, email)
    const topOf = async (name: RegExp) => (await page.getByRole('main').getByRole('button', { name }).boundingBox())?.y
    await page.getByRole('heading', { name: 'You are invited' }).waitFor()
    assert.equal(await topOf(/^Join/), await topOf(/^Decline/))
    await page.goto('/account/security')
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    assert.equal(await topOf(/^Rename/), await topOf(/^Remove/))
  })

  test('The account page suggests a passkey to a user without one, until it is dismissed or added', async () => {
    const { newPage } = pages()
    const { email } = await newMember(pages().service)
    const page = await newPage()
    await newVirtualAuthenticator(page)
    await openAccount(page, pages().service, email)
    await page.getByRole('button', { name: 'Not now' }).click()
    await page.getByRole('button', { name: 'Not now' }).waitFor({ state: 'detached' })
    await page.reload()
    await loaded(page, 'Your account')
    await assertAbsent(page.getByRole('button', { name: 'Add a passkey' }))

    const other = await newPage()
    await newVirtualAuthenticator(other)
    await openAccount(other, pages().service, email)
    await other.getByRole('button', { name: 'Add a passkey' }).click()
    await other.getByText('From now on you can sign in with the passkey of this device.').waitFor()
    assert.equal(await other.getByRole('button', { name: 'Add a passkey' }).count(), 0)
  })

  test('The first letter of a name is a whole grapheme', async () => {
    const { email, client } = await newMember(pages().service)
    await client.post('/api/auth/update-user', { name: '🇩🇪 Hilda' })
    const page = await visitAs(email, '/account')
    assert.equal(await page.locator('.profile .monogram').textContent(), '🇩🇪')
  })

  test('A picture of an earlier version that could hang the browser is not shown', async () => {
    const { id, email } = await newMember(pages().service)
    const { database } = pages().service.context
    const svg = 'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg"/%3E'
    for (const image of [svg, pngOf(20_000, 1)]) {
      await database.updateTable('users').set({ image }).where('id', '=', id).execute()
      const page = await visitAs(email, '/account')
      await page.locator('.profile .monogram').waitFor()
    }
  })

  test('The security page groups sessions by device, and revokes those of one device or all others', async () => {
    const { service } = pages()
    const { email, client } = await newMember(pages().service)
    const page = await visitAs(email, '/account/security')
    const rows = page.getByRole('region', { name: 'Where you are signed in' }).getByRole('listitem')
    await rows.filter({ hasText: 'This device' }).getByText('In use now').waitFor()
    const firefox = await signedIn(service, email, PASSWORD, FIREFOX)
    await signedIn(service, email, PASSWORD, FIREFOX)
    await page.reload()
    await rows
      .filter({ hasText: 'Firefox on Linux, 2 sessions' })
      .getByText(new RegExp(`Last used ${MOMENT_NEAR_NOW}`))
      .waitFor()
    await rows.nth(2).waitFor()
    await page.getByRole('button', { name: 'Sign out Firefox on Linux' }).click()
    await rows.nth(2).waitFor({ state: 'detached' })
    assert.equal((await firefox.client.get('/api/auth/get-session')).body, null)
    assert.notEqual((await client.get('/api/auth/get-session')).body, null)
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
    await rows.nth(1).waitFor({ state: 'detached' })
    assert.equal((await client.get('/api/auth/get-session')).body, null)
  })

  test('The security page signs a device out although one of its sessions has ended since', async () => {
    const { service } = pages()
    const { email } = await newMember(pages().service)
    const earlier = await signedIn(service, email, PASSWORD, FIREFOX)
    const later = await signedIn(service, email, PASSWORD, FIREFOX)
    const page = await visitAs(email, '/account/security')
    const button = page.getByRole('button', { name: 'Sign out Firefox on Linux' })
    await button.waitFor()
    await later.client.post('/api/auth/sign-out')
    await button.click()
    const devices = page.getByRole('region', { name: 'Where you are signed in' })
    // The name of the device is in its row and in its button.
    await devices.getByText('Firefox on Linux').first().waitFor({ state: 'detached' })
    assert.equal((await earlier.client.get('/api/auth/get-session')).body, null)
  })

  test('A page with a revoked session asks to sign in and goes on with the request', async () => {
    const { email } = await newMember(pages().service)
    const page = await visitAs(email, '/account/security#password')
    await page.getByText('This device', { exact: true }).waitFor()
    await settled(page)
    const { client } = await signedIn(pages().service, email)
    await client.post('/api/auth/revoke-other-sessions')
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByLabel('New password', { exact: true }).fill('another horse battery')
    await page.getByRole('button', { name: 'Change password' }).click()
    const dialog = page.getByRole('dialog', { name: 'You have been signed out' })
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Your password is changed.').waitFor()
    await signedIn(pages().service, email, 'another horse battery')
  })

  test('The security page changes the password when the current password is right', async () => {
    const { email } = await newMember(pages().service)
    const page = await visitAs(email, '/account/security#password')
    const change = page.getByRole('button', { name: 'Change password' })
    await page.getByLabel('Current password').fill('a wrong guess')
    await page.getByLabel('New password', { exact: true }).fill('another horse battery')
    await change.click()
    await page.getByText('That isn’t your current password.').waitFor()
    assert.equal(await focused(page), 'currentPassword')
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByLabel('New password', { exact: true }).fill('short')
    await change.click()
    await page.getByText('The password needs at least 8 characters.').waitFor()
    await page.getByLabel('New password', { exact: true }).fill('another horse battery')
    await change.click()
    await page.getByText('Your password is changed.').waitFor()
    await page.reload()
    await heading(page, 'Security')
    await signedIn(pages().service, email, 'another horse battery')
  })

  test('An emailed link sets a new password once', async () => {
    const { email } = await newMember(pages().service)
    const page = await pages().newPage()
    await page.goto('/sign-in')
    await page.getByRole('textbox', { name: 'Email address' }).fill(email)
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await heading(page, 'Forgot your password?')
    assert.equal(await page.getByRole('textbox', { name: 'Email address' }).inputValue(), email)
    await page.getByRole('textbox', { name: 'Email address' }).fill(`typo-${email}`)
    for (const isSent of [false, true]) {
      if (isSent) await page.getByRole('button', { name: 'Send link' }).click()
      if (isSent) await heading(page, 'Look in your mailbox')
      await page.getByRole('link', { name: 'Back to sign in' }).click()
      await heading(page, 'Sign in')
      assert.equal(await page.getByRole('textbox', { name: 'Email address' }).inputValue(), `typo-${email}`)
      await page.getByRole('link', { name: 'Forgot your password?' }).click()
      await heading(page, 'Forgot your password?')
    }
    await page.getByRole('button', { name: 'Send link' }).click()
    await heading(page, 'Look in your mailbox')
    await page.getByRole('button', { name: 'Try another address' }).click()
    assert.equal(await page.getByRole('textbox', { name: 'Email address' }).inputValue(), `typo-${email}`)
    await page.getByRole('textbox', { name: 'Email address' }).fill(email)
    await page.getByRole('button', { name: 'Send link' }).click()
    await heading(page, 'Look in your mailbox')
    await openEmail(page, email)
    await followLink(page, 'Choose a new password')
    await page.getByLabel('New password', { exact: true }).fill('another horse battery')
    const account = page.getByLabel('Your account')
    assert.deepEqual([await account.inputValue(), await account.getAttribute('autocomplete')], [email, 'username'])
    await page.getByRole('button', { name: 'Save password' }).click()
    await page.getByText('Your new password is saved.').waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'Email address' }).inputValue(), email)
    await fillSignIn(page, email, 'another horse battery')
    await heading(page, 'Your account')

    await openEmail(page, email)
    await page.getByRole('button', { name: 'Set a new password' }).filter({ hasText: email }).click()
    await followLink(page, 'Choose a new password')
    await heading(page, 'This link doesn’t work')
  })

  test('A link in the new mailbox changes the email address, and a link in the old one undoes the change', async () => {
    const { email } = await newMember(pages().service)
    const next = newEmail()
    const page = await visitAs(email, '/account/security#email')
    await page.getByLabel('New email address').fill(next)
    await page.getByRole('button', { name: 'Change address' }).click()
    await page.getByText(`if ${next} can be used`).waitFor()
    await openEmail(page, next)
    await followLink(page, 'Use this address')
    await page.getByText(`from ${email} to ${next}`).waitFor()
    await page.getByRole('button', { name: 'Change address' }).click()
    await heading(page, 'Address changed')
    await page.getByRole('link', { name: 'Go to your account' }).click()
    await page.getByLabel('You', { exact: true }).getByText(next).waitFor()

    await openEmail(page, email)
    await followLink(page, 'It was not me')
    await page.getByText(`back from ${next} to ${email}`).waitFor()
    await page.getByRole('button', { name: 'Undo the change' }).click()
    await heading(page, 'Your former address is back')
    await openEmail(page, email)
    await followLink(page, 'Choose a new password')
    await heading(page, 'Choose a new password')
  })

  test('Changing the email address in a session that is not fresh opens the step-up dialog first', async () => {
    const { email } = await newMember(pages().service)
    const next = newEmail()
    const page = await visitAs(email, '/account/security#email')
    await page.getByText('This device', { exact: true }).waitFor()
    pages().service.advance(STALE_MILLISECONDS)
    await page.getByLabel('New email address').fill(next)
    await page.getByRole('button', { name: 'Change address' }).click()
    const dialog = page.getByRole('dialog', { name: 'Is it still you?' })
    await dialog.waitFor()
    assert.equal(await focused(page), 'currentPassword')

    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('alert').getByText('nothing was changed').waitFor()
    // The focus is back where it was. The button has its label again a moment after the alert.
    await page.getByRole('button', { name: 'Change address' }).and(page.locator(':focus')).waitFor()
    assert.equal(await page.getByLabel('New email address').inputValue(), next)
    assert.deepEqual(await pages().service.emails(next), [])

    await page.getByRole('button', { name: 'Change address' }).click()
    await dialog.getByLabel('Your password').fill('a wrong guess')
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await dialog.getByText('That isn’t your current password.').waitFor()
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByText(`if ${next} can be used`).waitFor()
    assert.equal((await pages().service.emails(next)).length, 1)
  })

  test('The security page deletes the account when the password is right', async () => {
    const { email } = await newMember(pages().service)
    const page = await visitAs(email, '/account/security')
    await page.getByRole('button', { name: 'Delete my account…' }).click()
    await page.getByLabel('Your password, to verify that it is you').fill('a wrong guess')
    await page.getByRole('button', { name: 'Delete my account' }).click()
    await page.getByText('That isn’t your current password.').waitFor()
    await page.getByLabel('Your password, to verify that it is you').fill(PASSWORD)
    await page.getByRole('button', { name: 'Delete my account' }).click()
    await page.getByText('Your account is deleted.').waitFor()
    await fillSignIn(page, email)
    await page.getByRole('alert').getByText('don’t go together').waitFor()
  })

  test('A deletion stops if it would delete an organization that the page has not named, and then names it', async () => {
    const { service } = pages()
    const boss = await administratorWithOrganization(service)
    const { email, id } = await member(service, boss)
    const { organization, client } = boss
    const page = await visitAs(email, '/account/security')
    await page.getByRole('button', { name: 'Delete my account…' }).click()
    await page.getByText('You leave:').waitFor()
    await service.context.database.updateTable('members').set({ role: 'owner' }).where('userId', '=', id).execute()
    await client.post('/api/auth/organization/leave', { organizationId: organization.id })
    await page.getByLabel('Your password, to verify that it is you').fill(PASSWORD)
    const held = await holdNext(page, '**/delete-user/preview')
    await page.getByRole('button', { name: 'Delete my account' }).click()
    await held.sent
    const sentence = page.getByText('The organizations that are deleted with your account have changed.')
    // The sentence sends the user to the list, which is still the former one.
    assert.equal(await sentence.count(), 0)
    held.release()
    await sentence.waitFor()
    await page.getByText('because you are their only member').waitFor()
    await page.getByRole('button', { name: 'Delete my account' }).click()
    await page.getByText('Your account is deleted.').waitFor()
  })

  test('Another emailed link in the tab starts anew, after the first one was used', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const [first, second] = [await member(service, founder), await member(service, founder)]
    for (const { client } of [first, second]) await client.post('/api/auth/delete-user')
    const page = await newPage()
    await page.goto(await linkIn(service, first.email))
    await page.getByRole('button', { name: 'Delete my account' }).click()
    await heading(page, 'Your account is deleted')
    await page.goto(await linkIn(service, second.email))
    await heading(page, 'Delete your account?')
    await page.getByText(second.email).waitFor()
  })

  test('An emailed link deletes the account', async () => {
    const { email } = await newMember(pages().service)
    const page = await visitAs(email, '/account/security')
    await page.getByRole('button', { name: 'Delete my account…' }).click()
    await page.getByRole('button', { name: 'Send me the link' }).click()
    await page.getByText(`An email is on its way to ${email}`).waitFor()
    await openEmail(page, email)
    await followLink(page, 'Go to the confirmation')
    await page.getByRole('button', { name: 'Delete my account' }).click()
    await heading(page, 'Your account is deleted')
  })
})
