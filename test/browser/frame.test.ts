import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page, Request } from 'playwright-core'
import { insertOrganizations } from '../support/many-organizations.ts'
import { insertTestClient } from '../support/oauth-clients.ts'
import { authorizationRequest, REDIRECT_URI } from '../support/openid.ts'
import { inBrowser } from '../support/pages.ts'
import { holdNext, routeForNow } from '../support/route-once.ts'
import { createTestUser, userWithRole } from '../support/staff.ts'
import { until } from '../support/until.ts'
import {
  administrator,
  administratorWithOrganization,
  invite,
  joinOrganization,
  member,
  newEmail,
  newMember,
  PASSWORD,
} from '../support/users.ts'
import {
  assertAbsent,
  fillSignIn,
  heading,
  impersonate,
  loaded,
  openAccount,
  openSession,
  waitForFrames,
} from '../support/visits.ts'

const NARROW = { viewport: { width: 320, height: 640 } }

inBrowser('Frame of the signed-in pages', (pages) => {
  test('A page of an organization asks to sign in and returns to the same address', async () => {
    const { email, organization } = await administratorWithOrganization(pages().service)
    const page = await pages().newPage()
    const path = `/organizations/${organization.slug}/members?sort=role&direction=desc`
    await page.goto(path)
    await heading(page, 'Sign in')
    await fillSignIn(page, email)
    await heading(page, 'Members')
    const { pathname, search } = new URL(page.url())
    assert.equal(pathname + search, path)
    await page.getByRole('columnheader', { name: 'Role' }).and(page.locator('[aria-sort=descending]')).waitFor()
  })

  test('The first page is shown as soon as its code and its data are there', async () => {
    const { service, newPage } = pages()
    const page = await newPage()
    await openSession(page, service, (await newMember(service)).email)
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    const waiting = new Set<Request>()
    page.on('request', (request) => waiting.add(request))
    page.on('requestfinished', (request) => waiting.delete(request))
    await page.goto('/account')
    // React Query passes results on by timers of 0 ms. React would show a component that was suspended after 300 ms.
    const title = page.getByRole('heading', { level: 1, name: 'Your account' })
    for (let elapsed = 0; elapsed < 250 && !(await title.isVisible()); elapsed += 1) {
      await until(() => waiting.size === 0, 'the requests of the page are answered')
      await page.clock.runFor(1)
      await pause(20)
    }
    assert.equal(await title.isVisible(), true)
  })

  test('An organization of other users is not found', async () => {
    const first = await administratorWithOrganization(pages().service)
    const stranger = await newMember(pages().service)
    const page = await pages().newPage()
    await openSession(page, pages().service, stranger.email)
    await page.goto(`/organizations/${first.organization.slug}`)
    await page.getByRole('alert').waitFor()
    const [sentences = ''] = await page.getByRole('alert').allInnerTexts()
    assert.doesNotMatch(sentences, /\n/, 'the address stands in its sentence')
    await assertAbsent(page.getByText('At a glance'))
  })

  test('On a narrow screen the menu opens as a sheet and closes after a link', async () => {
    const { email, organization } = await administratorWithOrganization(pages().service)
    const page = await pages().newPage(NARROW)
    await openAccount(page, pages().service, email)
    const members = page.getByRole('link', { name: 'Members', exact: true })
    await page.goto(`/organizations/${organization.slug}`)
    await page.getByText('At a glance').waitFor()
    assert.equal(await members.isVisible(), false)
    await page.getByRole('button', { name: 'Menu' }).click()
    await members.click()
    await heading(page, 'Members')
    await members.waitFor({ state: 'hidden' })
    assert.equal(await page.locator('.service-links').count(), 0, 'the operator has set no address for help')
  })

  test('The navigation offers open invitations, and Join adds the organization', async () => {
    const { service, newPage } = pages()
    const { email } = await newMember(service)
    for (const inviter of [await administratorWithOrganization(service), await administratorWithOrganization(service)])
      await invite(service, inviter, email)
    const page = await newPage()
    await openAccount(page, service, email)
    const navigation = page.getByRole('navigation', { name: 'Main' })
    const received = navigation.locator('.rail-invitation')
    await received.nth(1).waitFor()
    const held = await holdNext(page, '**/reject-invitation')
    await received.first().getByRole('button', { name: 'Decline' }).click()
    await held.sent
    assert.ok(await received.first().getByRole('button', { name: 'Join' }).isDisabled())
    held.release()
    await received.nth(1).waitFor({ state: 'detached' })
    await received.getByRole('button', { name: 'Join' }).click()
    await received.waitFor({ state: 'detached' })
    await navigation.getByRole('link', { name: 'Example Works' }).nth(1).waitFor()
  })

  test('A link of the navigation does not move when the organizations and invitations arrive', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const support = await userWithRole(service, founder, 'support')
    await joinOrganization(service, support, founder)
    await invite(service, await administratorWithOrganization(service), support.email)
    const page = await newPage()
    await openSession(page, service, support.email)
    const navigation = page.getByRole('navigation', { name: 'Main' })
    const places = async () => {
      const found = new Map<string, number | undefined>()
      for (const control of await navigation.locator('a, button').all())
        found.set(
          (await control.getAttribute('href')) ?? (await control.textContent()) ?? '',
          (await control.boundingBox())?.y,
        )
      return found
    }
    const lists = ['**/organization/list?*', '**/list-user-invitations'] as const
    for (const [late, early] of [lists, lists.toReversed()]) {
      const held = await holdNext(page, late ?? '')
      const arrived = page.waitForResponse(early ?? '')
      await page.goto('/account')
      await held.sent
      await arrived
      await waitForFrames(page)
      const before = await places()
      held.release()
      await navigation.getByRole('button', { name: 'Join' }).waitFor()
      await navigation.getByRole('link', { name: 'System' }).waitFor()
      const after = await places()
      const shownBefore = [...after].filter(([name]) => before.has(name))
      assert.deepEqual([...before], shownBefore, late)
      assert.ok(before.size > 1 && after.size > before.size, JSON.stringify([...before]))
    }
  })

  test('Only staff see the staff pages in the navigation', async () => {
    const { service, newPage } = pages()
    const page = await newPage()
    await openAccount(page, service, (await administrator(service)).email)
    await page.getByRole('link', { name: 'Users' }).waitFor()
    const other = await newPage()
    await openAccount(other, service, (await newMember(service)).email)
    assert.equal(await other.getByRole('link', { name: 'Users' }).count(), 0)
  })

  test("A page whose code can't be loaded says so and loads again, and the other pages open", async () => {
    const page = await pages().newPage()
    await openAccount(page, pages().service, (await administrator(pages().service)).email)
    const script = /\/assets\/.*\.js$/
    const letPass = await routeForNow(page, script, (route) => route.fulfill({ status: 404, body: '' }))
    await page.getByRole('link', { name: 'Security' }).click()
    await heading(page, 'This page could not be loaded')
    await page.keyboard.press('Control+k')
    const dialog = page.getByRole('dialog', { name: 'A part of this page could not be loaded' })
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Accounts', exact: true }).click()
    await heading(page, 'Your account')
    await page.getByRole('link', { name: 'Security' }).click()
    await heading(page, 'This page could not be loaded')
    letPass()
    await page.getByRole('button', { name: 'Load the page again' }).click()
    await heading(page, 'Security')
  })

  test('A browser that blocks the storage of the site shows what the page needs', async () => {
    const refusing = (name: string) =>
      `Object.defineProperty(window, '${name}', { get() { throw new DOMException('blocked', 'SecurityError') } })`
    for (const script of [
      ...['BroadcastChannel', 'sessionStorage', 'localStorage'].map(refusing),
      "Object.defineProperty(navigator, 'cookieEnabled', { value: false })",
    ]) {
      const page = await pages().newPage()
      await page.addInitScript(script)
      await page.goto('/sign-in')
      await page.getByRole('alert').getByText('This page needs cookies.').waitFor()
    }
  })

  test('The document shows the shell before its script runs', async () => {
    const page = await pages().newPage()
    await page.route(/\/assets\/index.*\.js$/, () => {})
    await page.goto('/sign-in', { waitUntil: 'commit' })
    await page.locator('.shell .wordmark').waitFor()
  })

  test('The shell says that the page needs JavaScript when the browser runs none', async () => {
    const page = await pages().newPage({ javaScriptEnabled: false })
    await page.goto('/sign-in')
    await page.locator('.shell .card > noscript').waitFor()
    await page.locator('.shell .wordmark').waitFor()
  })

  test('Ctrl-K finds a page by its name, and Enter opens it', async () => {
    const { email } = await newMember(pages().service)
    const page = await pages().newPage()
    await openAccount(page, pages().service, email)
    const dialog = page.getByRole('dialog', { name: 'Go to' })
    const key = { key: 'k', ctrlKey: true, isComposing: true, bubbles: true, cancelable: true }
    const isLeft = await page.evaluate(`dispatchEvent(new KeyboardEvent('keydown', ${JSON.stringify(key)}))`)
    assert.ok(isLeft, 'the key belongs to the input method')
    await page.keyboard.press('Control+k')
    await dialog.getByRole('textbox').fill('members works')
    await dialog.getByRole('link', { name: 'Members Example Works' }).waitFor()
    await dialog.getByRole('textbox').dispatchEvent('keydown', { key: 'ArrowDown', isComposing: true })
    await page.locator('input:focus').waitFor()
    await page.keyboard.press('Enter')
    await heading(page, 'Members')
    assert.equal(await dialog.count(), 0)
    await page.keyboard.press('Control+k')
    await dialog.getByRole('textbox').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await heading(page, 'Security')
  })

  test('The button of the palette names its keys as the keyboard of the computer has them', async () => {
    const { service, newPage } = pages()
    const page = await newPage()
    await openAccount(page, service, (await administrator(service)).email)
    for (const [platform, keys] of [
      ['MacIntel', '⌘K'],
      ['Win32', 'Ctrl K'],
    ]) {
      await page.addInitScript(
        `Object.defineProperty(navigator, 'platform', { value: '${platform}', configurable: true })`,
      )
      await page.reload()
      await page.getByRole('button', { name: `Go to… ${keys}`, exact: true }).waitFor()
    }
  })

  test('Ctrl-K lists one page of each organization before the user types, and at most 50 pages', async () => {
    const { service, newPage } = pages()
    const { email, client, organization } = await newMember(service, 'owner')
    for (let count = 2; count <= 9; count += 1) {
      const slug = `${organization.slug}-${count}`
      await client.post('/api/auth/organization/create', { name: `Example Works ${count}`, slug })
    }
    const page = await newPage()
    await openAccount(page, service, email)
    await page.keyboard.press('Control+k')
    const dialog = page.getByRole('dialog', { name: 'Go to' })
    await dialog.getByRole('link', { name: `(${organization.slug}-9)` }).waitFor()
    assert.equal(await dialog.getByRole('link', { name: 'Example Works' }).count(), 9)
    assert.equal(await dialog.getByText('not shown').count(), 0)
    await dialog.getByRole('textbox').fill('works')
    await dialog.getByText('4 more are not shown: type a name.').waitFor()
    assert.equal(await dialog.getByRole('link').count(), 50)
    await dialog.getByRole('textbox').fill('works 9 settings')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/${organization.slug}-9/settings`)
  })

  test('The pages show the newest of 1,001 organizations, and the page of the user for staff does', async () => {
    const { service, newPage } = pages()
    const { id, email } = await newMember(service)
    const newest = (await insertOrganizations(service, id, 1_000)).at(-1) ?? ''
    const page = await newPage()
    await openSession(page, service, email)
    await page.goto(`/organizations/${newest}`)
    const navigation = page.getByRole('navigation', { name: 'Main' })
    await navigation.getByRole('list', { name: 'Pages of Other 1000' }).waitFor()
    await navigation.getByText('All 1,001 organizations').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('textbox').fill('1000 settings')
    await page.getByRole('dialog').getByRole('link', { name: newest }).waitFor()
    const staffPage = await newPage()
    await openSession(staffPage, service, (await administrator(service)).email)
    await staffPage.goto(`/staff/users/${id}?tab=organizations`)
    await staffPage.getByRole('link', { name: 'Other 1000', exact: true }).waitFor()
  })

  test('Enter in Ctrl-K opens the first result of the typed text, also before the search has ended', async () => {
    const { service, newPage } = pages()
    const admin = await administrator(service)
    const [first, second] = [newEmail(), newEmail()]
    await createTestUser(admin, { email: first, name: 'Paula First' })
    await createTestUser(admin, { email: second, name: 'Paula Second' })
    const page = await newPage()
    await openAccount(page, service, admin.email)
    const dialog = page.getByRole('dialog', { name: 'Go to' })
    await page.keyboard.press('Control+k')
    await dialog.getByRole('textbox').fill(first)
    await dialog.getByRole('link', { name: first }).waitFor()
    await dialog.getByRole('textbox').fill(second)
    await page.keyboard.press('Enter')
    await heading(page, 'Paula Second')
    await page.keyboard.press('Control+k')
    await dialog.getByRole('textbox').fill(first)
    await page.keyboard.press('Enter')
    await heading(page, 'Paula First')
    assert.equal(await dialog.count(), 0)
  })

  test('Ctrl-K says that a search failed, and not that nothing was found', async () => {
    const { service, newPage } = pages()
    const page = await newPage()
    await openAccount(page, service, (await administrator(service)).email)
    const refusal = { code: 'TOO_MANY_REQUESTS', message: 'Wait a moment, and try again.' }
    await page.route('**/admin/list-users*', (route) => route.fulfill({ status: 429, json: refusal }))
    await page.keyboard.press('Control+k')
    const dialog = page.getByRole('dialog', { name: 'Go to' })
    await dialog.getByRole('textbox').fill('nobody@example.com')
    await dialog.getByRole('alert').waitFor()
    assert.equal(await dialog.getByText('Nothing found.').count(), 0)
  })

  test('Ctrl-K says that the organizations of the user could not be loaded', async () => {
    const { service, newPage } = pages()
    const { email } = await newMember(service)
    const page = await newPage()
    await openSession(page, service, email)
    const refusal = { code: 'TOO_MANY_REQUESTS', message: 'Wait a moment, and try again.' }
    await page.route('**/organization/list?*', (route) => route.fulfill({ status: 429, json: refusal }))
    await page.goto('/account')
    await heading(page, 'Your account')
    await page.keyboard.press('Control+k')
    const dialog = page.getByRole('dialog', { name: 'Go to' })
    await dialog.getByRole('textbox').fill('Example Works')
    await dialog.getByRole('alert').waitFor()
    assert.equal(await dialog.getByText('Nothing found.').count(), 0)
  })

  test('Ctrl-K finds users, organizations and the events of an id for staff only', async () => {
    const { service, newPage } = pages()
    const first = await newMember(service)
    const page = await newPage()
    await openAccount(page, service, (await administrator(service)).email)
    for (const text of [first.email, first.id]) {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').getByRole('textbox').fill(text)
      await page.getByRole('dialog').getByRole('link', { name: first.email }).click()
      await heading(page, 'Hilda Hire')
    }
    const { organization } = await newMember(service)
    for (const text of [organization.slug, organization.id]) {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').getByRole('textbox').fill(text)
      await page.getByRole('dialog').locator(`a[href$="/staff/organizations/${organization.id}"]`).first().click()
      await heading(page, organization.name)
    }
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('textbox').fill(first.id)
    await page.getByRole('dialog').getByRole('link', { name: 'Everything about this id' }).click()
    await heading(page, 'Audit log')
    const other = await newPage()
    await openAccount(other, service, first.email)
    await other.keyboard.press('Control+k')
    await other.getByRole('dialog').getByRole('textbox').fill('hire')
    await other.getByText('Nothing found.').waitFor()
  })

  test('Staff who impersonate a user are not offered answers to invitations and the email to verify an address', async () => {
    const { service, newPage } = pages()
    const admin = await administrator(service)
    const hire = await newMember(service)
    await invite(service, await administratorWithOrganization(service), hire.email)
    const unverified = newEmail()
    const created = { email: unverified, name: 'Uma', role: 'user', password: PASSWORD }
    const { body } = await admin.client.post('/api/auth/admin/create-user', created)
    for (const [userId, hint] of [
      [hire.id, 'Only the user can join or decline.'],
      [body.user.id, 'Only the user can ask for the email.'],
    ]) {
      const page = await newPage()
      await openSession(page, service, admin.email)
      await impersonate(page, userId)
      await page.goto('/account')
      await page.getByRole('main').getByText(hint).waitFor()
      assert.deepEqual(await page.getByRole('button', { name: /^Join|^Decline|^Send/ }).allTextContents(), [])
    }
  })

  test('Staff who impersonate a user read, outside of the frame too, that they do, and what only the user may answer', async () => {
    const { service, newPage } = pages()
    const { id, email } = await newMember(service)
    const app = await insertTestClient(service, { redirect_uris: [REDIRECT_URI] })
    const { path } = await authorizationRequest(app, { scope: 'openid email' })
    const page = await newPage()
    await openSession(page, service, (await administrator(service)).email)
    await impersonate(page, id)
    await page.goto(path)
    await heading(page, 'Share your data with Grafana?')
    assert.match(await page.title(), /^Impersonating Hilda Hire · Share/)
    await page.getByText('You are impersonating Hilda Hire. Only the user can answer.').waitFor()
    await page.getByText(`You are impersonating ${email}`).waitFor()
    assert.deepEqual(await page.getByRole('main').getByRole('button').allTextContents(), [])
    await page.goto((await invite(service, await administratorWithOrganization(service), email)).linkPath)
    await heading(page, 'Only the user can open this')
    await page.getByRole('link', { name: 'Go to your account' }).click()
    await page.getByRole('button', { name: 'Stop' }).waitFor()
  })

  test('Staff who impersonate an owner read why the API keys are not shown, also below a long reason', async () => {
    const { service, newPage } = pages()
    const { id, organization } = await newMember(service, 'owner')
    const page = await newPage(NARROW)
    await openSession(page, service, (await administrator(service)).email)
    await impersonate(page, id, 'The user sees nothing. '.repeat(20).trim())
    await page.goto(`/organizations/${organization.slug}/api-keys`)
    const notShown = page.locator('.empty-state', { hasText: 'Owners and admins see the API keys' })
    await notShown.getByText('Impersonators change nothing here.').waitFor()
    const bar = await page.getByRole('region', { name: 'Impersonation' }).boundingBox()
    assert.ok((bar?.height ?? 640) <= 0.3 * 640, 'most of the page is not below the bar')
  })

  test('The head of a table leaves with its rows while staff impersonate a user, because the bar would cover it', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const { id, organization } = await member(service, founder, 'admin')
    for (let count = 0; count < 6; count += 1) await member(service, founder)
    const page = await newPage({ viewport: { width: 1280, height: 320 } })
    await openSession(page, service, (await administrator(service)).email)
    await impersonate(page, id)
    await page.goto(`/organizations/${organization.slug}/members`)
    const head = page.getByRole('columnheader', { name: 'Email address' })
    await head.waitFor()
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    await until(async () => ((await head.boundingBox())?.y ?? 0) < 0, 'the head leaves the window')
  })

  const OVER = 'The impersonation of Hilda Hire has ended. Sign in as yourself to go on.'

  async function endedImpersonation() {
    const { service, newPage } = pages()
    const { id } = await newMember(service)
    const page = await newPage()
    await openAccount(page, service, (await administrator(service)).email)
    await impersonate(page, id)
    await page.clock.install()
    await page.goto('/account')
    await page.getByText(/minutes left|1 hour left/).waitFor()
    // A request of the page that is still on its way would find the end first.
    await loaded(page, 'Your account')
    const { database, now } = service.context
    await database.updateTable('sessions').set({ expiresAt: now() }).where('userId', '=', id).execute()
    return page
  }

  /** The page reads its clock at ticks, and begins with them after it is drawn. */
  function passTimeUntil(page: Page, text: string) {
    return until(async () => {
      await page.clock.fastForward('01:00:01')
      return page.getByText(text).isVisible()
    }, text)
  }

  test('The page of a user leads to sign-in when the impersonation has ended, and says so', async () => {
    const page = await endedImpersonation()
    await passTimeUntil(page, OVER)
    await fillSignIn(page, 'admin@example.com')
    await heading(page, 'Hilda Hire')
  })

  test('A click after the end of an impersonation leads to sign-in, and says why', async () => {
    const page = await endedImpersonation()
    await page.getByRole('navigation').getByRole('link', { name: 'Example Works' }).click()
    await page.getByText(OVER).waitFor()
    await fillSignIn(page, 'admin@example.com')
    await heading(page, 'Hilda Hire')
  })

  test('The page of a user asks again after a failed request at the end of an impersonation', async () => {
    const page = await endedImpersonation()
    await page.context().setOffline(true)
    await passTimeUntil(page, 'which ends now')
    await page.context().setOffline(false)
    await passTimeUntil(page, OVER)
  })

  test('While staff impersonate a user, every page and its title say so, and Stop ends it', async () => {
    const { service, newPage } = pages()
    const { id } = await newMember(service)
    const page = await newPage()
    await openAccount(page, service, (await administrator(service)).email)
    await impersonate(page, id)
    await page.goto('/account/security')
    await page.getByText('You are impersonating Hilda Hire (ticket 4711), 1 hour left').waitFor()
    await heading(page, 'Security')
    assert.match(await page.title(), /^Impersonating Hilda Hire · Security/)
    await page.getByRole('button', { name: 'Stop' }).click()
    await heading(page, 'Hilda Hire')
    assert.equal(new URL(page.url()).pathname, `/staff/users/${id}`)
    assert.doesNotMatch(await page.title(), /Impersonating/)
    assert.equal(await page.getByText('You are impersonating').count(), 0)
  })

  test('A name and a reason of letters from right to left do not reorder the sentence of the impersonation', async () => {
    const { service, newPage } = pages()
    const { id } = await newMember(service)
    await service.context.database.updateTable('users').set({ name: 'דוד לוי' }).where('id', '=', id).execute()
    const page = await newPage()
    await openAccount(page, service, (await administrator(service)).email)
    await impersonate(page, id, 'תמיכה')
    await page.goto('/account')
    const bar = page.getByRole('region', { name: 'Impersonation' })
    await bar.getByText('1 hour left').waitFor()
    const edges = await page.evaluate<number[]>(`(() => {
      const bar = document.querySelector('.impersonation-bar p')
      const [name, reason] = bar.querySelectorAll('strong, bdi')
      const rest = document.createRange()
      rest.setStartAfter(reason)
      rest.setEndAfter(bar.lastChild)
      return [name, reason, rest].map((part) => part.getBoundingClientRect().left)
    })()`)
    assert.deepEqual(
      edges,
      edges.toSorted((a, b) => a - b),
    )
  })
})
