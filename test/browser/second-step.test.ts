import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { saveFailures } from '../../server/core/two-step/store.ts'
import { hashRecoveryCode } from '../../server/features/account/two-step/recovery-codes.ts'
import { MINUTE_MILLISECONDS } from '../../server/platform/time/time-units.ts'
import { MOMENT_NEAR_NOW } from '../support/moments.ts'
import { startOtherSite } from '../support/other-site.ts'
import { inBrowser } from '../support/pages.ts'
import { holdNext, loseNextResponse } from '../support/route-once.ts'
import { enableEmailCodes, enableTotp } from '../support/two-step.ts'
import { newMember, PASSWORD } from '../support/users.ts'
import { fillSignIn, focused, heading, loaded, signInByRequest, waitForFocus } from '../support/visits.ts'

const app = await startOtherSite()

inBrowser(
  'Second step of sign-in',
  (pages) => {
    after(() => app.stop())

    /** Signs a user with an authenticator app in, up to the second step. */
    const atSecondStep = async (path = '/sign-in') => {
      const user = await newMember(pages().service)
      const twoStep = await enableTotp(pages().service, user)
      const page = await pages().newPage()
      await page.goto(path)
      await fillSignIn(page, user.email)
      await heading(page, 'Enter the code')
      return { page, user, twoStep, code: () => twoStep.codeAt(pages().service.context.now()) }
    }
    const codeField = (page: Page) => page.getByLabel('Code of your authenticator app')

    test('The second step survives a reload, names a wrong code, takes a pasted one and returns to the service', async () => {
      const { page, code } = await atSecondStep(`/sign-in?next=${app.origin}`)
      await waitForFocus(codeField(page))
      await page.keyboard.press('Shift+Tab')
      assert.equal(await focused(page), 'trustDevice', 'before the field, whose last digit sends the form')
      await page.reload()
      await heading(page, 'Enter the code')
      assert.equal(await page.getByLabel('Password').count(), 0)
      await codeField(page).fill('000000')
      await page.getByText('That code is wrong or was used before.').waitFor()
      assert.equal(await focused(page), 'code')
      assert.equal(await codeField(page).getAttribute('aria-invalid'), 'true')
      assert.equal(await page.evaluate('getSelection().toString()'), '000000', 'the next code replaces it')
      await codeField(page).fill('')
      await page.keyboard.insertText(`${code().slice(0, 3)}-${code().slice(3)} `)
      await page.waitForURL(`${app.origin}/`)
    })

    test('A code that is typed while another one is checked is sent after its refusal', async () => {
      const { page, code } = await atSecondStep()
      const first = await holdNext(page, '**/verify-totp')
      await codeField(page).fill('000000')
      await first.sent
      await codeField(page).fill('111111')
      const second = await holdNext(page, '**/verify-totp')
      const toggle = page.getByRole('button', { name: 'Use a recovery code' })
      assert.ok(await toggle.isDisabled(), 'the refusal would be said nowhere')
      await toggle.click({ force: true })
      const request = page.waitForRequest('**/verify-totp')
      first.release()
      await request
      assert.equal(await codeField(page).getAttribute('aria-invalid'), 'false', 'the refusal is of the former code')
      const right = code()
      await codeField(page).fill(right.slice(0, 3))
      second.release()
      await page.getByText('That code is wrong or was used before.').waitFor()
      await page.keyboard.type(right.slice(3))
      await heading(page, 'Your account')
    })

    test('A trusted device needs no code until the user stops trusting it', async () => {
      const { page, user, code } = await atSecondStep()
      await page.getByLabel('Trust this device for 30 days').check()
      await codeField(page).fill(code())
      await heading(page, 'Your account')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await fillSignIn(page, user.email)
      await heading(page, 'Your account')
      await page.goto('/account/security')
      const devices = page.getByRole('region', { name: 'Trusted devices' })
      await devices.getByText('This device', { exact: true }).waitFor()
      await devices.getByText('Trusted until').waitFor()
      await devices.getByRole('button', { name: 'Stop trusting Chrome on Linux' }).click()
      await devices.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
      await fillSignIn(page, user.email)
      await heading(page, 'Enter the code')
    })

    test('Other steps and pages of the sign-in keep what the user has chosen', async () => {
      const { service, newPage } = pages()
      const user = await newMember(service)
      const { codeAt } = await enableTotp(service, user)
      const other = await newMember(service)
      await enableTotp(service, other)
      const page = await newPage()
      await page.goto('/sign-in')
      const keep = page.getByLabel('Keep me signed in on this device')
      const trust = page.getByLabel('Trust this device for 30 days')
      await keep.uncheck()
      await page.getByRole('link', { name: 'Forgot your password?' }).click()
      await page.getByRole('link', { name: 'Back to sign in' }).click()
      assert.equal(await keep.isChecked(), false)
      await fillSignIn(page, user.email)
      await trust.check()
      await page.getByRole('button', { name: 'Use a recovery code' }).click()
      await page.getByLabel('Recovery code', { exact: true }).waitFor()
      assert.equal(await trust.isChecked(), true)
      await page.getByRole('button', { name: 'Back to the password' }).click()
      assert.equal(await keep.isChecked(), false)
      await fillSignIn(page, user.email)
      assert.equal(await trust.isChecked(), true)
      await page.getByRole('button', { name: 'Back to the password' }).click()
      await fillSignIn(page, other.email)
      assert.equal(await trust.isChecked(), false, 'for another user')
      await page.getByRole('button', { name: 'Back to the password' }).click()
      await fillSignIn(page, user.email)
      await codeField(page).fill(codeAt(service.context.now()))
      await heading(page, 'Your account')
      const [cookie] = (await page.context().cookies()).filter(({ name }) => name === 'session')
      assert.equal(cookie?.expires, -1, 'ends with the browser')
    })

    test('A code is emailed once, another one on request, and the newest signs in', async () => {
      const { service, newPage } = pages()
      const user = await newMember(pages().service)
      await enableEmailCodes(service, user)
      const codes = async () =>
        (await service.emails(user.email)).flatMap(
          ({ text }) => /Your code: (\d{6})\. Enter it on the page that asked for it\./.exec(text)?.[1] ?? [],
        )
      const page = await newPage()
      await page.goto('/sign-in')
      await fillSignIn(page, user.email)
      await page.getByText(`We emailed a code with six digits to ${user.email}`).waitFor()
      await page.reload()
      await heading(page, 'Enter the code')
      assert.equal((await codes()).length, 1)
      await loseNextResponse(page, '**/two-factor/send-otp')
      await page.getByRole('button', { name: 'Send another code' }).click()
      await page.getByRole('alert').getByText('Check your connection, then try again.').waitFor()
      await page.getByRole('button', { name: 'Send another code' }).click()
      await page.getByText(`A code is on its way to ${user.email}`).waitFor()
      assert.equal((await codes()).length, 3)
      service.advance(11 * MINUTE_MILLISECONDS)
      await page.getByRole('button', { name: 'Send another code' }).click()
      await page.getByText('This sign-in took too long or has ended.').waitFor()
      await fillSignIn(page, user.email)
      await page.getByText('We emailed a code').waitFor()
      await page.getByLabel('Code of the email').fill((await codes())[0] ?? '')
      await heading(page, 'Your account')
    })

    test('After a lost response to a recovery code, which is used up, the page opens the account by itself', async () => {
      const { page, twoStep } = await atSecondStep()
      await page.getByRole('button', { name: 'Use a recovery code' }).click()
      await loseNextResponse(page, '**/two-factor/verify-backup-code')
      await page.getByLabel('Recovery code', { exact: true }).fill(twoStep.backupCodes[0] ?? '')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await heading(page, 'Your account')
    })

    test('A recovery code signs in, and with few left the page leads to new ones', async () => {
      const { page, user, twoStep } = await atSecondStep()
      const { database } = pages().service.context
      const rows = await database.selectFrom('recoveryCodes').selectAll().where('userId', '=', user.id).execute()
      const [first = ''] = twoStep.backupCodes
      const others = rows.map(({ codeHash }) => codeHash).filter((hash) => hash !== hashRecoveryCode(first))
      await database.deleteFrom('recoveryCodes').where('codeHash', 'in', others.slice(2)).execute()
      await page.getByRole('button', { name: 'Use a recovery code' }).click()
      const field = page.getByLabel('Recovery code', { exact: true })
      await field.fill('k3f9-2mwq')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('That isn’t one of your recovery codes').waitFor()
      await field.fill(first.toUpperCase())
      await page.getByRole('button', { name: 'Sign in' }).click()
      await heading(page, 'You are signed in')
      await page.getByText('You have 2 left.').waitFor()
      await page.getByRole('link', { name: 'Make new recovery codes' }).click()
      await page.getByRole('button', { name: 'New recovery codes' }).waitFor()
    })

    test('A sign-in that took too long asks for the password again, and a lock says until when', async () => {
      const { page, user, code } = await atSecondStep()
      const { context } = pages().service
      pages().service.advance(11 * MINUTE_MILLISECONDS)
      await codeField(page).fill('000000')
      await page.getByText('This sign-in took too long or has ended.').waitFor()
      assert.equal(await page.getByRole('textbox', { name: 'Email address' }).inputValue(), user.email)
      await saveFailures(context.database, {
        userId: user.id,
        count: 10,
        expiresAt: context.now() + 14 * MINUTE_MILLISECONDS,
      })
      await fillSignIn(page, user.email)
      await heading(page, 'Enter the code')
      await codeField(page).fill(code())
      await page
        .getByRole('alert')
        .getByText(
          new RegExp(
            `No code is accepted before ${MOMENT_NEAR_NOW}.*, in 14 minutes\\. If you have a passkey, you can use it now\\.`,
          ),
        )
        .waitFor()
      await page.getByRole('button', { name: 'Back to the password' }).click()
      assert.equal(await page.getByRole('textbox', { name: 'Email address' }).inputValue(), user.email)
    })

    test('Step-up and the dialog after the end of a session ask for the code, and the page stays', async () => {
      const { service, newPage } = pages()
      const user = await newMember(pages().service)
      const page = await newPage()
      await signInByRequest(page, user.email)
      const { codeAt } = await enableTotp(service, user)
      await page.goto('/account/security#email')
      await page.getByLabel('New email address').fill('next@example.com')
      service.advance(16 * MINUTE_MILLISECONDS)
      await page.getByRole('button', { name: 'Change address' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Code of your authenticator app').fill(codeAt(service.context.now()))
      await page.getByText('if next@example.com can be used').waitFor()

      service.advance(MINUTE_MILLISECONDS)
      await page.goto('/account')
      await loaded(page, 'Your account')
      await page.getByLabel('Your name').fill('Hilda Renamed')
      const other = service.client()
      await other.post('/api/auth/sign-in/email', { email: user.email, password: PASSWORD })
      await other.post('/api/auth/two-factor/verify-totp', { code: codeAt(service.context.now()) })
      await other.post('/api/auth/revoke-other-sessions')
      await page.getByRole('button', { name: 'Save' }).click()
      await dialog.getByLabel('Your password').fill(PASSWORD)
      await dialog.getByRole('button', { name: 'Sign in' }).click()
      service.advance(MINUTE_MILLISECONDS)
      await dialog.getByLabel('Code of your authenticator app').fill(codeAt(service.context.now()))
      await page.getByText('Hilda Renamed').first().waitFor()
      await dialog.waitFor({ state: 'detached' })
    })

    for (const { name, signsIn } of [
      { name: 'goes on after the sign-in', signsIn: true },
      { name: 'leads to the sign-in page without one', signsIn: false },
    ])
      test(`A session that ends during step-up asks to sign in, and the page ${name}`, async () => {
        const { service, newPage } = pages()
        const user = await newMember(pages().service)
        const page = await newPage()
        await signInByRequest(page, user.email)
        const { codeAt } = await enableTotp(service, user)
        await page.goto('/account/security#email')
        await page.getByLabel('New email address').fill('next@example.com')
        service.advance(16 * MINUTE_MILLISECONDS)
        await page.getByRole('button', { name: 'Change address' }).click()
        const stepUp = page.getByRole('dialog', { name: 'Is it still you?' })
        await stepUp.getByLabel('Code of your authenticator app').waitFor()
        await service.context.database.deleteFrom('sessions').where('userId', '=', user.id).execute()
        await stepUp.getByLabel('Code of your authenticator app').fill(codeAt(service.context.now()))
        const dialog = page.getByRole('dialog', { name: 'You have been signed out' })
        if (!signsIn) {
          await dialog.getByRole('button', { name: 'Leave this page' }).click()
          return heading(page, 'Sign in')
        }
        await dialog.getByLabel('Your password').fill(PASSWORD)
        await dialog.getByRole('button', { name: 'Sign in' }).click()
        await dialog.getByLabel('Code of your authenticator app').fill(codeAt(service.context.now()))
        await page.getByText('if next@example.com can be used').waitFor()
        assert.equal(await page.getByRole('dialog').count(), 0)
      })
  },
  { RETURN_TO_ORIGINS: app.origin },
)
