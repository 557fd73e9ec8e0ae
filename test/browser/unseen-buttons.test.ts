import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { DEVICE_CODE_GRANT } from '../../server/core/oauth-clients/metadata.ts'
import { insertTestClient } from '../support/oauth-clients.ts'
import { startOtherApp } from '../support/other-app.ts'
import { inBrowser } from '../support/pages.ts'
import { until } from '../support/until.ts'
import { administratorWithOrganization, invite, joinOrganization, newMember } from '../support/users.ts'
import { heading, openSession } from '../support/visits.ts'

const app = await startOtherApp('127.0.0.1')
const { pathOf, assertReturned, redirectUri } = app
const SCOPE = 'openid organization'

inBrowser('A button that a window of another site may have covered', (pages) => {
  after(() => app.stop())

  /** A signed-in page whose clock stands still, and its user, who is in one organization. */
  const visit = async () => {
    const { service, newPage } = pages()
    const [page, user] = [await newPage(), await newMember(service)]
    await openSession(page, service, user.email)
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    return { page, user }
  }
  const visitConsent = async () => {
    const { page } = await visit()
    await page.goto(await pathOf(await newClient(), { scope: SCOPE }))
    const [allow, refuse] = [button(page, 'Allow'), button(page, 'Don’t allow')]
    await shown(page, allow)
    return { page, allow, refuse }
  }
  const newClient = () => insertTestClient(pages().service, { redirect_uris: [redirectUri], scope: SCOPE })

  const button = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name, exact: true })
  /** Moves the clock only as far as the page needs for its timers of 0 ms. */
  const shown = (page: Page, place: Locator) =>
    until(() => page.clock.runFor(1).then(() => place.isVisible()), 'the page shows the button')
  /** The second click of a double click, or Enter, does not wait until the button is ready. */
  const pressEarly = async (pressed: Locator) => {
    await pressed.page().clock.runFor(400)
    assert.equal(await pressed.getAttribute('aria-disabled'), 'true')
    await pressed.click({ force: true })
    await pressed.press('Enter')
  }
  const pressInTime = async (pressed: Locator) => {
    await pressed.page().clock.runFor(100)
    await pressed.page().clock.resume()
    await pressed.click()
  }

  test('Allow and Don’t allow do nothing until the page has been shown for half a second', async () => {
    const { page, allow, refuse } = await visitConsent()
    await pressEarly(refuse)
    await pressInTime(allow)
    await assertReturned(page)
  })

  test('Approve and Deny of a device do nothing until the question has been shown for half a second', async () => {
    const { page } = await visit()
    const metadata = { grant_types: [DEVICE_CODE_GRANT], response_types: [], redirect_uris: [], scope: SCOPE }
    const { id } = await insertTestClient(pages().service, metadata)
    const started = await page.request.post('/api/auth/device/code', { form: { client_id: id, scope: SCOPE } })
    await page.goto((await started.json()).verification_uri_complete)
    await shown(page, button(page, 'Go on'))
    await button(page, 'Go on').click()
    await shown(page, button(page, 'Deny'))
    await pressEarly(button(page, 'Deny'))
    await pressInTime(button(page, 'Approve'))
    await heading(page, 'Your device is connected')
  })

  test('An organization is chosen for an app only once the list has been shown for half a second', async () => {
    const { page, user } = await visit()
    const second = await administratorWithOrganization(pages().service)
    const { id: organizationId } = second.organization
    await second.client.post('/api/auth/organization/update', { organizationId, data: { name: 'Second Works' } })
    await joinOrganization(pages().service, user, second)
    await page.goto(await pathOf(await newClient(), { scope: SCOPE }))
    const list = page.getByRole('list', { name: 'Your organizations' }).getByRole('button')
    await shown(page, list.first())
    await pressEarly(list.filter({ hasText: 'Example Works' }))
    await pressInTime(list.filter({ hasText: 'Second Works' }))
    await heading(page, 'Share your data with Grafana?')
    await page.getByText('Second Works').waitFor()
  })

  test('Join and Decline of an opened invitation do nothing until it has been shown for half a second', async () => {
    const { page, user } = await visit()
    const inviting = await administratorWithOrganization(pages().service)
    const { name } = inviting.organization
    await page.goto((await invite(pages().service, inviting, user.email)).linkPath)
    await shown(page, button(page, 'Decline'))
    await pressEarly(button(page, 'Decline'))
    await pressInTime(button(page, `Join ${name}`))
    await heading(page, `Welcome to ${name}`)
  })

  test('Join and Decline of an invitation in a list do nothing until they have been shown for half a second', async () => {
    const { page, user } = await visit()
    const inviting = await administratorWithOrganization(pages().service)
    const { name, slug } = inviting.organization
    await invite(pages().service, inviting, user.email)
    await page.goto('/account')
    await shown(page, button(page, `Decline ${name}`))
    await pressEarly(button(page, `Decline ${name}`))
    await pressInTime(button(page, `Join ${name}`))
    await page.getByRole('main').getByText(`Member, ${slug}`).waitFor()
  })

  test('The half second begins again when the window gets the focus back', async () => {
    const { page, allow, refuse } = await visitConsent()
    await page.clock.runFor(500)
    assert.equal(await allow.getAttribute('aria-disabled'), 'false')
    const happens = (name: string) => page.evaluate(`dispatchEvent(new Event('${name}'))`)
    await happens('blur')
    await page.clock.runFor(60_000)
    for (const name of ['blur', 'focus', 'blur', 'focus']) {
      await happens(name)
      await pressEarly(refuse)
    }
    await pressInTime(allow)
    await assertReturned(page)
  })

  test('The half second begins again with each press, so several clicks in a row do nothing', async () => {
    const { page, allow, refuse } = await visitConsent()
    for (let clicks = 0; clicks < 5; clicks += 1) {
      await page.clock.runFor(400)
      await refuse.click({ force: true })
    }
    await pressInTime(allow)
    await assertReturned(page)
  })

  test('The half second begins again when the tab is shown again', async () => {
    const { page, allow, refuse } = await visitConsent()
    await page.clock.runFor(500)
    const show = (state: 'visible' | 'hidden') =>
      page.evaluate(`Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' })
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
    await show('hidden')
    await page.clock.runFor(60_000)
    await pressEarly(refuse)
    await show('visible')
    await pressEarly(refuse)
    await pressInTime(allow)
    await assertReturned(page)
  })

  test('The half second does not begin while another window has the focus', async () => {
    const { page, allow, refuse } = await visitConsent()
    await page.evaluate(`document.hasFocus = () => false
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
    await page.clock.runFor(60_000)
    await pressEarly(refuse)
    await page.evaluate("delete document.hasFocus, dispatchEvent(new Event('focus'))")
    await pressEarly(refuse)
    await pressInTime(allow)
    await assertReturned(page)
  })

  test('An unseen button looks as it does later', async () => {
    const { page, allow } = await visitConsent()
    const look = () => allow.evaluate('element => ({ ...getComputedStyle(element) })')
    const unseen = await look()
    await page.clock.runFor(500)
    assert.equal(await allow.getAttribute('aria-disabled'), 'false')
    assert.deepEqual(await look(), unseen)
  })
})
