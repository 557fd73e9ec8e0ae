import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { decodeQR } from 'qr/decode.js'
import { MINUTE_MILLISECONDS } from '../../server/platform/time/time-units.ts'
import { newVirtualAuthenticator } from '../support/browser.ts'
import { inBrowser } from '../support/pages.ts'
import { showRecoveryCodes } from '../support/recovery-codes.ts'
import { loseNextResponse } from '../support/route-once.ts'
import { appOfUri, enableTotp, firstStep } from '../support/two-step.ts'
import { administratorWithOrganization, member, newMember, PASSWORD } from '../support/users.ts'
import { focused, openAccount, openSession, waitForFocus } from '../support/visits.ts'

inBrowser('Two-step verification in the settings', (pages) => {
  const row = (page: Page) => page.getByRole('region', { name: 'Two-step verification' })
  const visit = async (email: string) => {
    const page = await pages().newPage()
    await openSession(page, pages().service, email)
    await page.goto('/account/security#two-step')
    return page
  }
  const withPassword = async (form: Locator, button: string) => {
    await form.getByLabel('Your password', { exact: true }).fill(PASSWORD)
    await form.getByRole('button', { name: button, exact: true }).click()
  }
  /** Enters the code of an app with the shown key. */
  const enterCodeOfApp = async (page: Page) => {
    const uri = await row(page).getByRole('link', { name: 'Open it with the key' }).getAttribute('href')
    const app = appOfUri(uri ?? '')
    await page.getByLabel('Code of your authenticator app').fill(app.codeAt(pages().service.context.now()))
    return app
  }
  const keepCodes = async (page: Page) => {
    await page.getByLabel('I have stored them').waitFor()
    const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allTextContents()
    assert.equal(codes.length, 10)
    await page.getByLabel('I have stored them').check()
    await page.getByRole('button', { name: 'Done' }).click()
    return codes
  }

  test('A member whom an organization asks sets it up: key, first code, recovery codes', async () => {
    const founder = await administratorWithOrganization(pages().service)
    const { client, email } = await member(pages().service, founder)
    const required = { organizationId: founder.organization.id, data: { requireTwoFactor: true } }
    await founder.client.post('/api/auth/organization/update', required)
    const page = await pages().newPage()
    await openAccount(page, pages().service, email)
    const banner = page.getByRole('status').filter({ hasText: 'Example Works asks for two-step verification.' })
    await banner.getByRole('link', { name: 'Set it up' }).click()
    await withPassword(row(page), 'Go on')
    const key = page.getByLabel('Key', { exact: true })
    assert.match(await key.inputValue(), /^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/)
    await waitForFocus(page.getByLabel('Code of your authenticator app'))
    await page.setViewportSize({ width: 320, height: 640 })
    assert.ok(await key.evaluate((field) => field.scrollHeight <= field.clientHeight), 'the whole key is visible')
    const uri = await row(page).getByRole('link', { name: 'Open it with the key' }).getAttribute('href')
    assert.equal(await readQrCode(row(page).getByRole('img', { name: 'QR code with the key' })), uri)
    await page.getByLabel('Code of your authenticator app').fill('000000')
    await page.getByText('check that your phone sets its clock automatically').waitFor()
    await enterCodeOfApp(page)
    await page.getByRole('heading', { name: 'Store your recovery codes' }).waitFor()
    assert.ok(await page.getByRole('button', { name: 'Done' }).isDisabled())
    assert.equal(await row(page).getByRole('button', { name: 'Cancel' }).count(), 0, 'it would lose the codes')
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    assert.equal((await download).suggestedFilename(), 'recovery-codes.txt')
    const codes = await keepCodes(page)
    assert.match(codes[0] ?? '', /^([0-9a-z]{4}-){6}[0-9a-z]{4}$/)
    await row(page).getByText('Two-step verification is on. You were signed out on all other devices.').waitFor()
    await row(page).getByText('On, with an authenticator app since').waitFor()
    assert.equal(await focused(page), 'Change two-step verification')
    await banner.waitFor({ state: 'detached' })
    assert.equal((await client.get('/api/auth/get-session')).body, null)
  })

  test('After a lost response to the first code, the next code shows the recovery codes', async () => {
    const { email } = await newMember(pages().service)
    const page = await visit(email)
    await withPassword(row(page), 'Go on')
    await loseNextResponse(page, '**/two-factor/verify-totp')
    await enterCodeOfApp(page)
    await page.getByRole('alert').getByText('Check your connection, then try again.').waitFor()
    pages().service.advance(MINUTE_MILLISECONDS)
    await enterCodeOfApp(page)
    await page.getByRole('heading', { name: 'Store your recovery codes' }).waitFor()
    await keepCodes(page)
    await row(page).getByText('On, with an authenticator app since').waitFor()
  })

  test('A user of codes by email goes on with an app, and turns it off', async () => {
    const { service } = pages()
    const { email } = await newMember(pages().service)
    const page = await visit(email)
    await page.getByLabel('Emails', { exact: true }).check()
    await withPassword(row(page), 'Go on')
    await page.getByText('We emailed a code with six digits').waitFor()
    const [message] = await service.emails(email)
    await page.getByLabel('Code of the email').fill(/\d{6}/.exec(message?.text ?? '')?.[0] ?? '')
    await keepCodes(page)
    await row(page).getByText('On, with codes by email since').waitFor()

    // The key is enough where the code of the picture can't be loaded.
    await page.route(/\/QrCode-.*\.js$/, (route) => route.fulfill({ status: 404, body: '' }))
    await page.getByRole('button', { name: 'Change two-step verification' }).click()
    await page.getByRole('button', { name: 'Use an authenticator app' }).click()
    await withPassword(row(page), 'Go on')
    await enterCodeOfApp(page)
    await keepCodes(page)
    await row(page).getByText('On, with an authenticator app since').waitFor()

    await page.getByRole('button', { name: 'Change two-step verification' }).click()
    await page.getByRole('button', { name: 'Turn off' }).click()
    await withPassword(row(page), 'Turn it off')
    await row(page).getByText('Two-step verification is off.').waitFor()
    await row(page).getByText('Off. Your password alone signs you in.').waitFor()
  })

  for (const method of ['An authenticator app', 'Emails'])
    test(`A setup with ${method} that another tab has replaced shows no recovery codes, and asks to start again`, async () => {
      const { service } = pages()
      const { email } = await newMember(service)
      const first = await visit(email)
      const second = await first.context().newPage()
      await second.goto('/account/security#two-step')
      for (const page of [first, second]) {
        await page.getByLabel(method, { exact: true }).check()
        await withPassword(row(page), 'Go on')
        await page.getByLabel(/^Code of/).waitFor()
        service.advance(1000)
      }
      const codeOfEmail = async () => /\d{6}/.exec((await service.emails(email))[0]?.text ?? '')?.[0] ?? ''
      const codeOfApp = async () => {
        const uri = await row(second).getByRole('link', { name: 'Open it with the key' }).getAttribute('href')
        return appOfUri(uri ?? '').codeAt(service.context.now())
      }
      const code = method === 'Emails' ? await codeOfEmail() : await codeOfApp()
      await first.getByLabel(/^Code of/).fill(code)
      await row(first).getByRole('alert').getByText('This setup was replaced or ended').waitFor()
      await second.getByLabel(/^Code of/).fill(code)
      await keepCodes(second)
      await first.reload()
      await row(first)
        .getByText(/^On, with/)
        .waitFor()
    })

  test('The recovery codes are printed alone, on one page', async () => {
    const { email } = await newMember(pages().service)
    const page = await visit(email)
    await showRecoveryCodes(pages().service, page)
    const printed = (await page.pdf({ format: 'A4' })).toString('latin1')
    assert.equal(printed.match(/\/Type \/Page\b/g)?.length, 1)
  })

  test('A question with a password takes the focus to the password, and Escape closes the question', async () => {
    const user = await newMember(pages().service)
    const page = await pages().newPage()
    await openSession(page, pages().service, user.email)
    await enableTotp(pages().service, user)
    await page.goto('/account/security#two-step')
    await page.getByRole('button', { name: 'Turn off' }).click()
    assert.equal(await focused(page), 'currentPassword')
    await page.keyboard.press('Escape')
    assert.equal(await row(page).getByRole('button', { name: 'Turn it off' }).count(), 0)
    assert.equal(await focused(page), 'Turn off two-step verification')
  })

  test('A user of an app makes new recovery codes, shows the key again and moves to a new phone', async () => {
    const { service } = pages()
    const user = await newMember(pages().service)
    const { backupCodes } = await enableTotp(service, user)
    const page = await pages().newPage()
    await page.goto('/sign-in')
    await page.getByRole('textbox', { name: 'Email address' }).fill(user.email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await page.getByLabel('Recovery code', { exact: true }).fill(backupCodes[0] ?? '')
    await page.keyboard.press('Enter')
    await page.getByText('You have 9 left.').waitFor()
    await page.goto('/account/security#two-step')
    await row(page).getByText('9 of 10 left.').waitFor()
    await page.getByRole('button', { name: 'New recovery codes' }).click()
    await withPassword(row(page), 'Make new codes')
    await keepCodes(page)

    await page.getByRole('button', { name: 'Change two-step verification' }).click()
    await row(page).getByText('10 of 10 left.').waitFor()
    await page.getByRole('button', { name: 'Show the QR code' }).click()
    await page.getByText('Make sure that no one else sees your screen.').waitFor()
    await withPassword(row(page), 'Show it')
    const shown = await page.getByLabel('Key', { exact: true }).inputValue()
    await page.getByRole('button', { name: 'Set up on a new phone' }).click()
    await withPassword(row(page), 'Make a new key')
    await page.getByLabel('Code of your authenticator app').waitFor()
    assert.notEqual(await page.getByLabel('Key', { exact: true }).inputValue(), shown)
    const app = await enterCodeOfApp(page)
    await keepCodes(page)
    service.advance(MINUTE_MILLISECONDS)
    const client = service.client()
    await firstStep(client, user.email)
    const answer = await client.post('/api/auth/two-factor/verify-totp', { code: app.codeAt(service.context.now()) })
    assert.equal(answer.status, 200)
  })

  /** A member with a passkey and an app, signed in with a code, whose organization has required two steps since. */
  const visitWithPasskey = async () => {
    const { service, newPage } = pages()
    const user = await newMember(service)
    const page = await newPage()
    await openSession(page, service, user.email)
    const authenticator = await newVirtualAuthenticator(page)
    await page.goto('/account/security')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    await enableTotp(service, user)
    const { database } = service.context
    const sessions = database.updateTable('sessions').set({ authenticationMethods: 'pwd otp mfa' })
    await sessions.where('userId', '=', user.id).execute()
    const organizations = database.updateTable('organizations').set({ requireTwoFactor: 1 })
    await organizations.where('id', '=', user.organization.id).execute()
    await page.goto('/account/security#two-step')
    await page.reload()
    return { page, authenticator, user }
  }

  test('A user with a passkey, where two steps are required, moves to a new phone with the passkey', async () => {
    const { page, user } = await visitWithPasskey()
    await page.getByRole('button', { name: 'Set up on a new phone' }).click()
    await page.getByText('Your browser asks for your passkey first.').waitFor()
    await withPassword(row(page), 'Make a new key')
    await enterCodeOfApp(page)
    await keepCodes(page)
    await row(page).getByText('On, with an authenticator app since').waitFor()
    const token = await page.request.get(`/api/token?org=${user.organization.slug}`)
    assert.equal(token.status(), 200)
  })

  test('A move to a new phone without the required passkey leaves two-step verification on', async () => {
    const { page, authenticator } = await visitWithPasskey()
    await authenticator.setUserVerified(false)
    await page.getByRole('button', { name: 'Set up on a new phone' }).click()
    await withPassword(row(page), 'Make a new key')
    await row(page).getByRole('alert').getByText('Your browser used no passkey, so nothing was changed.').waitFor()
    await page.reload()
    await row(page).getByText('On, with an authenticator app since').waitFor()
  })
})

type Pixels = { width: number; height: number; data: number[] }

/** Reads the QR code from a picture of the page, as a camera does. */
async function readQrCode(code: Locator): Promise<string> {
  const picture = (await code.screenshot()).toString('base64')
  const { width, height, data } = await code.page().evaluate<Pixels>(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${picture}'
    await image.decode()
    const { width, height } = image
    const canvas = new OffscreenCanvas(width, height).getContext('2d')
    canvas.drawImage(image, 0, 0)
    return { width, height, data: [...canvas.getImageData(0, 0, width, height).data] }
  })()`)
  return decodeQR({ width, height, data: Uint8Array.from(data) })
}
