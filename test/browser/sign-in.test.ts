import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startOtherSite } from '../support/other-site.ts'
import { inBrowser } from '../support/pages.ts'
import { administrator, PASSWORD } from '../support/users.ts'
import { fillSignIn, focused, heading, openAccount, waitForFocus } from '../support/visits.ts'

const app = await startOtherSite()
const APP = app.origin
const { host } = new URL(APP)

inBrowser(
  'Sign-in page',
  (pages) => {
    after(() => app.stop())

    test('Sign-in with a wrong password says so, and works with the right one', async () => {
      const { email } = await administrator(pages().service)
      const page = await pages().newPage()
      await page.goto('/sign-in')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      assert.equal(await focused(page), 'email')
      await fillSignIn(page, 'not-an-address')
      await page.getByText('That isn’t a complete email address.').waitFor()
      assert.equal(await focused(page), 'email')
      await fillSignIn(page, email, 'a wrong guess')
      await page.getByRole('alert').getByText('don’t go together').waitFor()
      assert.equal(await page.getByRole('textbox', { name: 'Email address' }).inputValue(), email)
      await fillSignIn(page, email)
      await heading(page, 'Your account')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await heading(page, 'Sign in')
    })

    test('Sign-in that reached its limit says how long to wait', async () => {
      const page = await pages().newPage()
      await page.goto('/sign-in')
      for (let tries = 0; tries <= 30; tries++) {
        const data = { email: `a${tries}@example.com`, password: 'x' }
        await page.request.post('/api/auth/sign-in/email', { data, headers: { origin: pages().service.baseUrl } })
      }
      await fillSignIn(page, 'unknown@example.com')
      await page
        .getByRole('alert')
        .getByText(/one try too many. Try again in \d+ (second|minute)/)
        .waitFor()
    })

    test('Sign-in works with the keyboard alone', async () => {
      const { email } = await administrator(pages().service)
      const page = await pages().newPage()
      await page.goto('/sign-in')
      await page.getByRole('textbox', { name: 'Email address' }).waitFor()
      const stops: string[] = []
      while (stops.at(-1) !== 'email') {
        await page.keyboard.press('Tab')
        stops.push(await focused(page))
        assert.ok(stops.length < 10, stops.join())
      }
      await page.keyboard.type(email)
      while ((await focused(page)) !== 'password') await page.keyboard.press('Tab')
      await page.keyboard.type(PASSWORD)
      await page.keyboard.press('Enter')
      // A screen reader says which page it is.
      await waitForFocus(page.getByRole('heading', { level: 1, name: 'Your account' }))
    })

    test('Sign-in returns to the page that required it', async () => {
      const { email } = await administrator(pages().service)
      const page = await pages().newPage()
      await page.goto('/account/security')
      await heading(page, 'Sign in')
      await fillSignIn(page, email)
      await heading(page, 'Security')
    })

    test('Sign-in for another service goes there, and immediately if the browser is signed in', async () => {
      const { email } = await administrator(pages().service)
      const page = await pages().newPage()
      await page.goto(`/sign-in?next=${APP}`)
      await page.getByText(`to go on to ${host}`).waitFor()
      await fillSignIn(page, email)
      await heading(page, 'The other service')
      assert.equal(page.url(), `${APP}/`)
      await page.goto(`${pages().service.baseUrl}/sign-in?next=${APP}`)
      await heading(page, 'The other service')
      await page.goto(`${pages().service.baseUrl}/account/security?next=${APP}`)
      await page.getByRole('link', { name: `Back to ${host}` }).click()
      await heading(page, 'The other service')
    })

    test('GHSA-vp58-j275-797x: sign-in for a service that is not listed goes nowhere and shows no link to it', async () => {
      const { email } = await administrator(pages().service)
      const { baseUrl } = pages().service
      const page = await pages().newPage()
      const crooked = `${APP}.evil.example`
      for (const path of ['/sign-in', '/account', '/account/security']) {
        const answer = await page.goto(`${path}?next=${encodeURIComponent(crooked)}`)
        assert.equal(answer?.status(), 400)
        await heading(page, 'We can’t send you back there')
        assert.ok(!(await page.content()).includes('evil'))
      }
      // Another site can change the fragment of a page that it opened, which loads no new document.
      await page.evaluate("location.hash = 'x'")
      await heading(page, 'We can’t send you back there')
      await page.getByRole('link', { name: 'Go to your account' }).click()
      await heading(page, 'Sign in')
      await page.goBack()
      await heading(page, 'We can’t send you back there')
      await page.goForward()
      await heading(page, 'Sign in')
      await fillSignIn(page, email)
      await heading(page, 'Your account')
      assert.equal(new URL(page.url()).origin, baseUrl)
    })

    test('The session lasts from page to page, and sign-out ends it', async () => {
      const { email } = await administrator(pages().service)
      const page = await pages().newPage()
      await openAccount(page, pages().service, email)
      await page.reload()
      await heading(page, 'Your account')
      await page.getByRole('link', { name: 'Security' }).click()
      await heading(page, 'Security')
      await page.getByRole('banner').getByRole('button', { name: 'Sign out' }).click()
      await heading(page, 'Sign in')
      await page.goBack()
      await heading(page, 'Sign in')
    })
  },
  { RETURN_TO_ORIGINS: APP },
)
