import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser } from '../support/pages.ts'
import { holdNext, routeOnce } from '../support/route-once.ts'
import { until } from '../support/until.ts'
import { administratorWithOrganization, invite, newEmail, newMember, PASSWORD, signedIn } from '../support/users.ts'
import { fillSignIn, focused, followLink, heading, openEmail, openSession } from '../support/visits.ts'

inBrowser('Setup page', (pages) => {
  test('The page / says where to find the setup link, and the link creates the first administrator', async () => {
    const page = await pages().newPage()
    await page.goto('/')
    await page.getByText('Find it in the output of the service').waitFor()
    await page.goto(`/setup#${await pages().service.setupToken()}`)
    await heading(page, 'Set up Accounts')
    assert.equal(new URL(page.url()).hash, '', 'the address bar keeps no secret')

    await page.getByRole('button', { name: 'Create administrator' }).click()
    assert.equal(await focused(page), 'name')
    await page.getByText('Enter your name').waitFor()

    await page.getByLabel('Your name').fill('Ada Admin')
    await page.getByRole('textbox', { name: 'Email address' }).fill('ada@example.com')
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByRole('button', { name: 'Create administrator' }).click()
    await page.getByText('The password needs at least 8 characters.').waitFor()
    assert.equal(await focused(page), 'password')
    assert.equal(await page.getByLabel('Your name').inputValue(), 'Ada Admin')

    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Create administrator' }).click()
    await heading(page, 'Your account')
    await page.getByRole('main').getByText('ada@example.com').waitFor()
    const { client } = await signedIn(pages().service, 'ada@example.com')
    const { body } = await client.get('/api/auth/get-session')
    assert.equal(body.user.role, 'admin')
    await page.goto('/')
    await heading(page, 'Your account')
  })

  test('The setup page without a valid link says where to find one, until another link is opened', async () => {
    const page = await pages().newPage()
    // Another test may have created an administrator.
    await pages().service.context.database.updateTable('users').set({ role: 'user' }).execute()
    await page.goto('/setup')
    await page.getByText('Find it in the output of the service').waitFor()
    await page.goto('/setup#made-up-token')
    await page.getByLabel('Your name').fill('Eve')
    await page.getByRole('textbox', { name: 'Email address' }).fill('eve@example.com')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Create administrator' }).click()
    await page.getByRole('alert').getByText('This link has been used or has expired.').waitFor()
    assert.equal(await page.getByLabel('Your name').inputValue(), 'Eve')
    await page.goto('/setup#another-token')
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })
})

inBrowser('Setup page after the setup', (pages) => {
  test('A setup whose response is lost leads to sign-in when it is sent again after a reload', async () => {
    const page = await pages().newPage()
    await page.goto(`/setup#${await pages().service.setupToken()}`)
    const email = newEmail()
    const send = async () => {
      await page.getByLabel('Your name').fill('Ada Admin')
      await page.getByRole('textbox', { name: 'Email address' }).fill(email)
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Create administrator' }).click()
    }
    await routeOnce(page, '**/api/setup', async (route) => {
      await route.fetch()
      await route.abort('internetdisconnected')
    })
    await send()
    await page.getByRole('alert').getByText('load the page again').waitFor()
    await page.context().clearCookies()
    await page.reload()
    await send()
    await heading(page, 'Accounts is set up')
    await page.getByRole('link', { name: 'Sign in' }).click()
    await fillSignIn(page, email)
    await heading(page, 'Your account')
  })
})

inBrowser('Invitation pages', (pages) => {
  test('A user whose answer to an invitation got no response goes on to the account', async () => {
    const { service, newPage } = pages()
    const user = await newMember(service)
    const { linkPath } = await invite(service, await administratorWithOrganization(service), user.email)
    const page = await newPage()
    await openSession(page, service, user.email)
    await page.goto(linkPath)
    const cookies = await page.context().cookies()
    await routeOnce(page, '**/organization/accept-invitation', async (route) => {
      await route.fetch()
      // The header that clears the cookie of the invitation is lost too.
      await page.context().addCookies(cookies)
      await route.abort('internetdisconnected')
    })
    await page.getByRole('button', { name: 'Join Example Works' }).click()
    await heading(page, 'This invitation has been used')
    await page.getByRole('link', { name: 'Sign in' }).click()
    await heading(page, 'Your account')
  })

  test('An invitation email leads to a new account in the organization', async () => {
    const { service, newPage } = pages()
    const email = newEmail()
    await invite(service, await administratorWithOrganization(service), email)
    const page = await newPage()
    await openEmail(page, email)
    await followLink(page, 'See the invitation')
    await heading(page, 'Create your account')
    await page.getByText('Ada Admin invited you to join Example Works as a member.').waitFor()
    await page.getByText('Sent by admin@example.com').waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'Email address' }).inputValue(), email)

    await page.getByLabel('Your name').fill('Hilda Hire')
    await page.getByLabel('Password', { exact: true }).fill('password1')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('This password is easy to guess').waitFor()
    assert.equal(await focused(page), 'password')
    assert.equal(await page.getByLabel('Your name').inputValue(), 'Hilda Hire')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()

    await heading(page, 'Welcome to Example Works')
    await page.getByRole('link', { name: 'Go to your account' }).click()
    await heading(page, 'Your account')
    await page.getByText('Hilda Hire').waitFor()
    await page.getByRole('main').getByRole('listitem').getByText('Example Works').waitFor()
  })

  test('A sign-up shows its welcome although the page learns of the new session between its requests', async () => {
    const { service, newPage } = pages()
    const { linkPath } = await invite(service, await administratorWithOrganization(service))
    const page = await newPage()
    await page.clock.install()
    await page.goto(linkPath)
    await page.getByLabel('Your name').fill('Hilda Hire')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.clock.fastForward(60_000)
    await page.route('**/api/auth/sign-up/email', async (route) => {
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
      // The reads wait for the sign-up, and the request that accepts the invitation for the reads.
      const countWaiting = () => page.evaluate<number>('navigator.locks.query().then(({ pending }) => pending.length)')
      await until(async () => (await countWaiting()) > 1, 'the page asks for the session and the invitation')
      await route.continue()
    })
    await page.getByRole('button', { name: 'Create account' }).click()
    await heading(page, 'Welcome to Example Works')
  })

  test('An invitation for a user with an account leads through sign-in to acceptance', async () => {
    const { service, newPage } = pages()
    const first = await administratorWithOrganization(service)
    const email = newEmail()
    const page = await newPage()
    await page.goto((await invite(service, first, email)).linkPath)
    await page.getByLabel('Your name').fill('Hilda Hire')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()
    await heading(page, 'Welcome to Example Works')

    const other = await newPage()
    await other.goto((await invite(service, await administratorWithOrganization(service), email)).linkPath)
    await heading(other, 'Sign in')
    await other.getByText('to join Example Works').waitFor()
    assert.equal(await other.getByRole('textbox', { name: 'Email address' }).inputValue(), email)
    await fillSignIn(other, email)
    await heading(other, 'Join Example Works?')
    await other.getByRole('button', { name: 'Join Example Works' }).click()
    await heading(other, 'Welcome to Example Works')
  })

  test('An invitation of a user with an unverified address leads to the account page, which sends the link', async () => {
    const { service, newPage } = pages()
    const email = newEmail()
    const inviter = await administratorWithOrganization(service)
    await inviter.client.post('/api/auth/admin/create-user', { email, name: 'Uma', role: 'user', password: PASSWORD })
    const { linkPath } = await invite(service, inviter, email)
    const page = await newPage()
    await openSession(page, service, email)
    await page.goto(linkPath)
    await page.getByRole('button', { name: 'Join Example Works' }).click()
    await page.getByRole('alert').getByRole('link', { name: 'Go to your account' }).click()
    await page.getByRole('heading', { name: 'Verify your email address' }).waitFor()
  })

  test('An invitation as an admin can be declined, and staff see that', async () => {
    const { service, newPage } = pages()
    const first = await administratorWithOrganization(service)
    const { email } = await newMember(service)
    const page = await newPage()
    await openSession(page, service, email)
    await page.goto((await invite(service, first, email, 'admin')).linkPath)
    await page.getByText('Ada Admin invited you to join Example Works as an admin.').waitFor()
    const held = await holdNext(page, '**/reject-invitation')
    await page.getByRole('button', { name: 'Decline' }).click()
    await held.sent
    assert.ok(await page.getByRole('button', { name: /^Join/ }).isDisabled())
    held.release()
    await heading(page, 'Invitation declined')

    const staff = await newPage()
    await openSession(staff, service, first.email)
    await staff.goto(`/staff/invitations?email=${email}&status=rejected`)
    await staff.getByRole('row').filter({ hasText: email }).locator('.badge', { hasText: 'Declined' }).waitFor()
    assert.equal(await staff.getByLabel('State').locator('option:checked').textContent(), 'Declined')
  })

  test('An invitation for another address says so and offers to sign out', async () => {
    const { service, newPage } = pages()
    const inviter = await administratorWithOrganization(service)
    const { email, linkPath } = await invite(service, inviter)
    const page = await newPage()
    await openSession(page, service, inviter.email)
    await page.goto(linkPath)
    await heading(page, 'This invitation is for another address')
    const lead = await page.locator('.lead').textContent()
    assert.match(lead ?? '', new RegExp(`${email}.*${inviter.email}`))

    await page.getByRole('button', { name: 'Sign out and continue' }).click()
    await heading(page, 'Create your account')
    assert.equal(await page.getByRole('textbox', { name: 'Email address' }).inputValue(), email)
  })

  test('An invitation page with an unknown error code says that the invitation can’t be used', async () => {
    const page = await pages().newPage()
    for (const code of ['A_CODE_OF_LATER', 'constructor']) {
      await page.goto(`/invitation?error=${code}`)
      await heading(page, 'Your invitation')
      await page.getByRole('alert').getByText('This invitation can’t be used.').waitFor()
    }
  })

  test('An invitation that can’t be used says why', async () => {
    const { service, newPage } = pages()
    const inviter = await administratorWithOrganization(service)
    const page = await newPage()
    const { linkPath } = await invite(service, inviter)
    await page.goto(`${linkPath.slice(0, -1)}${linkPath.endsWith('A') ? 'B' : 'A'}`)
    await heading(page, 'There is no invitation here')
    await page.goto('/invite/made-up')
    await heading(page, 'There is no invitation here')
    await page.goto('/sign-up')
    await heading(page, 'Sign-up is by invitation')
    await page.getByText('Ask an owner or admin of the organization').waitFor()
    for (const code of ['INVITATION_CANCELED', 'INVITER_NO_LONGER_ALLOWED']) {
      await page.goto(`/invitation?error=${code}`)
      await page.getByText(/ask an owner or admin of the organization/i).waitFor()
    }

    const used = await invite(service, inviter)
    const invited = await newPage()
    await invited.goto(used.linkPath)
    await invited.getByLabel('Your name').fill('Hilda Hire')
    await invited.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await invited.getByRole('button', { name: 'Create account' }).click()
    await heading(invited, 'Welcome to Example Works')
    await page.goto(used.linkPath)
    await heading(page, 'This invitation has been used')
  })

  test('An expired invitation says so on a new page and on a page that was open', async () => {
    const { service, newPage } = pages()
    const { linkPath } = await invite(service, await administratorWithOrganization(service))
    const page = await newPage()
    await page.goto(linkPath)
    await heading(page, 'Create your account')
    await page.getByLabel('Your name').fill('Hilda Hire')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    service.advance(8 * 86_400_000)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('alert').getByText('expired').waitFor()
    await page.goto(linkPath)
    await heading(page, 'This invitation has expired')
  })
})
