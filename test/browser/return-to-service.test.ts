import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { pagesWithNext } from '../../web/shared/pages.ts'
import { startOtherSite } from '../support/other-site.ts'
import { inBrowser } from '../support/pages.ts'
import {
  administrator,
  administratorWithOrganization,
  invite,
  member,
  newEmail,
  newMember,
  PASSWORD,
} from '../support/users.ts'
import { fillSignIn, followLink, heading, openAccount, openEmail, openSession } from '../support/visits.ts'

const app = await startOtherSite()
const next = encodeURIComponent(app.origin)
const { host } = new URL(app.origin)

async function waitForApp(page: Page): Promise<void> {
  await heading(page, 'The other service')
  assert.equal(page.url(), `${app.origin}/`)
}

inBrowser(
  'Return to another service',
  (pages) => {
    after(() => app.stop())

    test('Sign-in returns to the service, and immediately if the browser is signed in', async () => {
      const { email } = await administrator(pages().service)
      const page = await pages().newPage()
      await page.goto(`/sign-in?next=${next}`)
      await page.getByText(`to go on to ${host}`).waitFor()
      await fillSignIn(page, email)
      await waitForApp(page)
      const answer = await page.goto(`${pages().service.baseUrl}/sign-in?next=${encodeURIComponent(`${app.origin}/`)}`)
      await waitForApp(page)
      const redirected = await answer?.request().redirectedFrom()?.response()
      assert.equal(redirected?.status(), 302, 'the server redirects, before any script runs')
      await page.goBack()
      assert.notEqual(new URL(page.url()).pathname, '/sign-in', 'going back does not bounce')
    })

    test('Both account pages have a link back to the service', async () => {
      const { email } = await administrator(pages().service)
      const page = await pages().newPage()
      await page.goto(`/account/security?next=${next}`)
      await heading(page, 'Sign in')
      await fillSignIn(page, email)
      await heading(page, 'Security')
      const back = page.getByRole('link', { name: `Back to ${host}` })
      await back.waitFor()
      await page.getByRole('list', { name: 'Your account' }).getByRole('link', { name: 'Overview' }).click()
      await heading(page, 'Your account')
      await back.waitFor()
      await page.reload()
      await heading(page, 'Your account')
      await page.goto(`/account?next=${encodeURIComponent(`${app.origin}/`)}`)
      await heading(page, 'Your account')
      await back.click()
      await waitForApp(page)
    })

    test('The link back stays after signing out and in again', async () => {
      const { email } = await administrator(pages().service)
      const page = await pages().newPage()
      await openSession(page, pages().service, email)
      await page.goto(`/account?next=${next}`)
      await heading(page, 'Your account')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByText(`to go on to ${host}`).waitFor()
      await fillSignIn(page, email)
      await waitForApp(page)
    })

    test('A password reset returns to the service', async () => {
      const { service, newPage } = pages()
      const { email } = await newMember(service)
      const page = await newPage()
      await page.goto(`/account?next=${next}`)
      await page.getByRole('link', { name: 'Forgot your password?' }).click()
      await heading(page, 'Forgot your password?')
      assert.equal(new URL(page.url()).searchParams.get('next'), app.origin)
      await page.getByRole('textbox', { name: 'Email address' }).fill(email)
      await page.getByRole('button', { name: 'Send link' }).click()
      await heading(page, 'Look in your mailbox')
      const inbox = await newPage()
      await openEmail(inbox, email)
      await followLink(inbox, 'Choose a new password')
      await heading(inbox, 'Choose a new password')
      assert.equal(new URL(inbox.url()).hash, '')
      await inbox.getByLabel('New password').fill('a brand new battery staple')
      await inbox.getByRole('button', { name: 'Save password' }).click()
      await inbox.getByText(`to go on to ${host}`).waitFor()
      await fillSignIn(inbox, email, 'a brand new battery staple')
      await waitForApp(inbox)
      await page.getByRole('link', { name: 'Back to sign in' }).click()
      await page.getByText(`to go on to ${host}`).waitFor()
    })

    test('Sign-up with an invitation returns to the service', async () => {
      const { service, newPage } = pages()
      const { linkPath } = await invite(service, await administratorWithOrganization(service))
      const page = await newPage()
      await page.goto(linkPath)
      await heading(page, 'Create your account')
      await page.goto(`/sign-in?next=${next}`)
      await page.getByRole('link', { name: 'Create an account with your invitation' }).click()
      await heading(page, 'Create your account')
      await page.getByLabel('Your name').fill('Hilda Hire')
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Create account' }).click()
      await waitForApp(page)
    })

    test('Accepting an invitation returns to the service', async () => {
      const { service, newPage } = pages()
      const first = await administratorWithOrganization(service)
      const { email } = await member(service, first)
      const { linkPath } = await invite(service, await administratorWithOrganization(service), email)
      const page = await newPage()
      await openSession(page, service, email)
      await page.goto(linkPath)
      await heading(page, 'Join Example Works?')
      await page.goto(`/invitation?next=${next}`)
      await page.getByRole('button', { name: 'Join Example Works' }).click()
      await waitForApp(page)
    })

    test('GHSA-vp58-j275-797x: no page links to a service that is not listed', async () => {
      const { email } = await administrator(pages().service)
      const page = await pages().newPage()
      await openAccount(page, pages().service, email)
      const evil = 'https://evil.example'
      for (const path of pagesWithNext) {
        const answer = await page.goto(`${path}?next=${evil}`)
        assert.equal(answer?.status(), 400, path)
        await heading(page, 'We can’t send you back there')
        assert.equal(await page.locator(`[href*="evil"]`).count(), 0, path)
      }
      for (const path of ['/no-such-page', '/verify-email', '/setup']) {
        await page.goto(`${path}?next=${evil}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        assert.equal(await page.locator(`[href*="evil"]`).count(), 0, path)
        await page.getByRole('link', { name: 'Accounts' }).click()
        await heading(page, 'Your account')
        assert.equal(new URL(page.url()).search, '', path)
      }
    })

    test("A reset link can't lead to a service that is not listed", async () => {
      const answer = await pages().service.client().post('/api/auth/request-password-reset', {
        email: newEmail(),
        redirectTo: '/reset-password?next=https://evil.example',
      })
      assert.deepEqual(
        [answer.status, answer.body.code, answer.body.field],
        [400, 'INVALID_CALLBACK_URL', 'redirectTo'],
      )
    })
  },
  { RETURN_TO_ORIGINS: app.origin },
)
