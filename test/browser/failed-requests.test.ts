import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { insertTestClient } from '../support/oauth-clients.ts'
import { authorizationRequest, REDIRECT_URI } from '../support/openid.ts'
import { inBrowser } from '../support/pages.ts'
import { countRecoveryCodes, showRecoveryCodes } from '../support/recovery-codes.ts'
import { loseNextResponse, routeForNow, routeOnce } from '../support/route-once.ts'
import { userWithTotp } from '../support/two-step.ts'
import { until } from '../support/until.ts'
import {
  administrator,
  administratorWithOrganization,
  invite,
  linkIn,
  member,
  newEmail,
  newMember,
  PASSWORD,
} from '../support/users.ts'
import { assertAbsent, heading, loaded, openSession, settled, waitForFrames } from '../support/visits.ts'

inBrowser('What stays while requests in the background fail', (pages) => {
  async function visit(path: string): Promise<Page> {
    const { service, newPage } = pages()
    const page = await newPage()
    await openSession(page, service, (await newMember(service)).email)
    await page.goto(path)
    return page
  }

  /** Lets the page send a request again while the browser is offline, and waits until the request has failed. */
  async function failRequest(page: Page, path: string): Promise<void> {
    await page.context().setOffline(true)
    // The page has shown the first failure when it sends the second request.
    for (const _ of [1, 2]) {
      const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith(path))
      await page.getByRole('button', { name: 'Check the connection' }).click()
      await failed
    }
  }

  test('Recovery codes stay visible after a failed request, in the settings and in a sign-in for an app', async () => {
    const { service } = pages()
    const app = await insertTestClient(service, { redirect_uris: [REDIRECT_URI] }, { skipConsent: 1 })
    const { path } = await authorizationRequest(app, { scope: 'openid', acr_values: 'urn:accounts:two-step' })
    for (const address of ['/account/security#two-step', path]) {
      const page = await visit(address)
      await showRecoveryCodes(service, page)
      await failRequest(page, '/two-factor/get-status')
      assert.equal(await countRecoveryCodes(page), 10, address)
    }
  })

  test('The typed passwords of a change and of a deletion stay after a failed request', async () => {
    for (const [setting, label, path] of [
      ['password', 'Current password', '/list-accounts'],
      ['deletion', 'Your password, to verify that it is you', '/delete-user/preview'],
    ] as const) {
      const page = await visit(`/account/security#${setting}`)
      const field = page.getByLabel(label, { exact: true })
      await field.fill(PASSWORD)
      await failRequest(page, path)
      assert.equal(await field.inputValue(), PASSWORD, setting)
    }
  })

  test('A trusted device and the reason stay when its removal and the list after it fail', async () => {
    const { service, newPage } = pages()
    const { client, email, app } = await userWithTotp(service)
    const code = app.codeAt(service.context.now())
    await client.post('/api/auth/two-factor/verify-totp', { code, trustDevice: true })
    const page = await newPage()
    await openSession(page, service, email)
    await page.goto('/account/security')
    const devices = page.getByRole('region', { name: 'Trusted devices' })
    await devices.getByText('Trusted until').waitFor()
    await page.context().setOffline(true)
    await devices.getByRole('button', { name: /^Stop trusting/ }).click()
    // Nothing was sent, so nothing may have changed.
    await devices.getByRole('listitem').getByRole('alert').getByText('can’t be reached').waitFor()
    await devices.getByRole('button', { name: 'Try again' }).waitFor()
  })

  test('What staff pages show of a user, of the service and of the audit log stays after a failed request', async () => {
    const { service, newPage } = pages()
    const { id } = await newMember(service)
    const { email } = await administrator(service)
    for (const [address, path, shown] of [
      [`/staff/users/${id}`, `get-sign-in-status?userId=${id}`, 'Hilda Hire can sign in'],
      ['/staff', 'get-system?', 'Needs you'],
      ['/staff/system', 'get-system?', 'Signs tokens now'],
      ['/staff/audit', 'get-system?', 'The chain head and the newest 200 events are verified'],
    ] as const) {
      const page = await newPage()
      await openSession(page, service, email)
      await page.goto(address)
      await page.getByText(shown).waitFor()
      await failRequest(page, path)
      assert.equal(await page.getByText(shown).count(), 1, address)
    }
  })

  /** Opens a page whose requests fail, after events of the browser, and waits until one has failed. */
  async function failAfter(events: string[]): Promise<Page> {
    const page = await visit('/account')
    await heading(page, 'Your account')
    await page.clock.install()
    for (const event of events) await page.evaluate(`dispatchEvent(new Event('${event}'))`)
    await page.route('**/api/auth/**', (route) => route.abort('internetdisconnected'))
    const failed = page.waitForEvent('requestfailed')
    await page.getByRole('link', { name: 'Security' }).click()
    await failed
    await settled(page)
    await waitForFrames(page)
    return page
  }

  test('A page offers another try, and shows no empty list, when a response is cut off', async () => {
    const page = await visit('/account')
    await heading(page, 'Your account')
    const letPass = await routeForNow(page, '**/api/auth/list-sessions', (route) =>
      route.fulfill({ contentType: 'application/json', body: '[{"id":' }),
    )
    await page.getByRole('link', { name: 'Security' }).click()
    const retry = page.getByRole('button', { name: 'Try again' })
    await retry.waitFor()
    letPass()
    await retry.click()
    await page.getByText('This device').first().waitFor()
  })

  test('A change whose response is cut off or not JSON is shown as possibly made', async () => {
    const page = await visit('/account')
    for (const [name, contentType, body] of [
      ['Hilda First', 'application/json', '{"sta'],
      ['Hilda Second', 'text/html', '<title>Down for maintenance</title>'],
    ] as const) {
      await page.getByLabel('Your name').fill(name)
      const letPass = await routeForNow(page, '**/api/auth/update-user', (route) =>
        route.fulfill({ contentType, body }),
      )
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('alert').getByText('The change may have been made').waitFor()
      assert.equal(await page.getByText('Saved.').count(), 0, body)
      letPass()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved.').waitFor()
    }
  })

  test('A role, an API key, an invitation and a list of sessions show a change whose response was lost', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const [owner, hire] = [await member(service, founder, 'owner'), await member(service, founder)]
    await founder.client.post('/api/auth/api-key/create', { name: 'Export', organizationId: founder.organization.id })
    await invite(service, await administratorWithOrganization(service), owner.email)
    const page = await newPage()
    await openSession(page, service, owner.email)
    const lose = async (path: string, act: () => Promise<unknown>) => {
      await loseNextResponse(page, path)
      await act()
    }

    await page.goto(`/organizations/${founder.organization.slug}/members`)
    const role = page.getByRole('row').filter({ hasText: hire.email }).getByRole('combobox')
    await lose('**/update-member-role', () => role.selectOption('admin'))
    await page.getByRole('alert').getByText('The change may have been made').waitFor()
    await until(async () => (await role.inputValue()) === 'admin', 'the row shows the new role')

    await page.goto(`/organizations/${founder.organization.slug}/api-keys`)
    await page.getByRole('button', { name: 'Manage Export' }).click()
    await lose('**/api-key/update', () => page.getByRole('button', { name: 'Disable Export' }).click())
    await page.getByRole('button', { name: 'Enable Export' }).waitFor()

    await page.goto('/account')
    const decline = page.getByRole('main').getByRole('button', { name: 'Decline Example Works' })
    await lose('**/reject-invitation', () => decline.click())
    await decline.waitFor({ state: 'detached' })

    await page.goto('/account/security')
    const others = page.getByRole('button', { name: 'Sign out everywhere else' })
    await lose('**/revoke-other-sessions', () => others.click())
    await others.waitFor({ state: 'detached' })
  })

  test('A question that leaves with its row after a lost response says that the change may have been made', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    await member(service, founder)
    const { email } = await invite(service, founder)
    const page = await newPage()
    await openSession(page, service, founder.email)
    const reads = (label: string) =>
      page.getByRole('alert').getByText(`${label}: No response came. The change may have been made`).waitFor()

    await page.goto(`/organizations/${founder.organization.slug}/members`)
    await page.getByLabel('Select Hilda Hire').check()
    await page.getByRole('button', { name: 'Remove… the selected members' }).click()
    await loseNextResponse(page, '**/remove-member')
    await page.getByRole('button', { name: 'Remove the selected members' }).click()
    await reads('Remove the selected members')
    await page.getByText('Select members to change several at once.').waitFor({ state: 'detached' })

    await page.goto(`/organizations/${founder.organization.slug}/invitations`)
    await page.getByLabel(`Select ${email}`).check()
    await page.getByRole('button', { name: 'Cancel… the selected invitations' }).click()
    await loseNextResponse(page, '**/cancel-invitation')
    await page.getByRole('button', { name: 'Cancel the selected invitations' }).click()
    await reads('Cancel the selected invitations')
  })

  test('A lost response leaves typed text and a new API key on the page', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const page = await newPage()
    await openSession(page, service, founder.email)
    await page.goto(`/organizations/${founder.organization.slug}/api-keys`)
    const name = page.getByLabel('Name', { exact: true })
    const create = page.getByRole('button', { name: 'Create API key' })
    await name.fill('Export')
    await loseNextResponse(page, '**/api-key/create')
    await create.click()
    await page.getByRole('row').filter({ hasText: 'Export' }).waitFor()
    assert.equal(await name.inputValue(), 'Export')
    await name.fill('Import')
    await create.click()
    const key = await page.getByLabel('API key', { exact: true }).inputValue()
    await page.getByRole('button', { name: 'Manage Export' }).click()
    await loseNextResponse(page, '**/api-key/update')
    await page.getByRole('button', { name: 'Disable Export' }).click()
    await page.getByRole('button', { name: 'Enable Export' }).waitFor()
    assert.equal(await page.getByLabel('API key', { exact: true }).inputValue(), key)
  })

  test('A change that a proxy answers with an error page is shown as possibly made', async () => {
    const page = await visit('/account')
    await page.getByLabel('Your name').fill('Hilda Behind')
    const isSent = page.evaluate(answerAsProxy)
    await page.getByRole('button', { name: 'Save' }).click()
    await isSent
    await page.getByRole('alert').getByText('The change may have been made').waitFor()
    await page.getByLabel('You', { exact: true }).getByText('Hilda Behind').waitFor()
  })

  test('An emailed link whose response is cut off is shown as possibly used, and later says what to do, with a way on', async () => {
    const { service, newPage } = pages()
    const [changing, deleting] = [await newMember(service), await newMember(service)]
    const next = newEmail()
    await changing.client.post('/api/auth/change-email', { newEmail: next })
    await deleting.client.post('/api/auth/delete-user')
    const page = await newPage()
    for (const [linkOf, path, label, advice, way] of [
      [
        () => linkIn(service, next),
        '**/api/auth/verify-email?*',
        'Change address',
        'Your address may have changed already: sign in with the new one.',
        'Go to your account',
      ],
      [
        () => linkIn(service, changing.email),
        '**/api/undo-change-email',
        'Undo the change',
        'If the change was undone, look for our email with a link to choose a new password.',
        'Go to sign in',
      ],
      [
        () => linkIn(service, deleting.email),
        '**/api/auth/delete-user/callback?*',
        'Delete my account',
        'If you can still sign in and want to delete your account, ask for a new email there.',
        'Go to sign in',
      ],
    ] as const) {
      await page.goto(await linkOf())
      await loseNextResponse(page, path)
      await page.getByRole('button', { name: label }).click()
      await page.getByRole('alert').getByText('The change may have been made').waitFor()
      await page.getByRole('button', { name: label }).click()
      await page.getByText(advice).waitFor()
      await page.getByRole('link', { name: way }).waitFor()
      await page.reload()
      await page.getByText(advice).waitFor()
      await page.getByRole('link', { name: way }).waitFor()
    }
  })

  test('A sign-out whose response was lost is sent again, and says to try again if that gets no response either', async () => {
    const page = await visit('/account')
    await loaded(page, 'Your account')
    const reach = await routeForNow(page, '**/sign-out', (route) => route.abort('internetdisconnected'))
    const signOut = page.getByRole('banner').getByRole('button', { name: 'Sign out' })
    await signOut.click()
    await page.getByRole('alert').getByText('The service can’t be reached.').waitFor()
    reach()
    await loseNextResponse(page, '**/sign-out')
    await signOut.click()
    await heading(page, 'Sign in')
    await assertAbsent(page.getByRole('dialog'))
  })

  test('A deletion whose response was lost lets the user sign in again, and says that the account may be deleted', async () => {
    const page = await visit('/account/security#deletion')
    await page.getByLabel('Your password, to verify that it is you', { exact: true }).fill(PASSWORD)
    await loseNextResponse(page, '**/api/auth/delete-user')
    await page.getByRole('button', { name: 'Delete my account' }).click()
    const dialog = page.getByRole('dialog', { name: 'You have been signed out' })
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.getByText('If you asked to delete your account, it may be deleted.').waitFor()
  })

  test('A change whose response breaks off after its head or never ends is shown as possibly made', async () => {
    const page = await visit('/account')
    await heading(page, 'Your account')
    await page.clock.install()
    for (const isBroken of [true, false]) {
      await page.getByLabel('Your name').fill(`Hilda ${isBroken}`)
      const isSent = page.evaluate(answerWithHead, isBroken)
      await page.getByRole('button', { name: 'Save' }).click()
      await isSent
      if (!isBroken) await page.clock.fastForward(31_000)
      await page.getByRole('alert').getByText('The change may have been made').waitFor()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved.').waitFor()
    }
  })

  // Firefox ends requests after this event. Chromium does so only when the page is gone.
  test('A request that ends while the browser loads the next page shows no failure, unless the page stays', async () => {
    const page = await failAfter(['beforeunload'])
    assert.equal(await page.getByText('You are offline').count(), 0)
    await page.clock.fastForward('00:10')
    await page.getByText('You are offline').waitFor()
  })

  test('A request that fails on a page that Back has restored shows the failure at once', async () => {
    const page = await failAfter(['beforeunload', 'pageshow'])
    // A page that the browser leaves shows it after ten seconds.
    await page.getByText('You are offline').waitFor({ timeout: 8_000 })
  })

  test("The deletion of an account says why it can't ask, and asks after another try", async () => {
    const page = await visit('/account')
    const letPass = await routeForNow(page, '**/api/auth/list-accounts', (route) =>
      route.fulfill({ status: 429, json: { code: 'TOO_MANY_REQUESTS', message: 'Too many tries.' } }),
    )
    await page.goto('/account/security#deletion')
    const retry = page.locator('#deletion').getByRole('button', { name: 'Try again' })
    await retry.waitFor()
    letPass()
    await retry.click()
    await page.getByLabel('Your password, to verify that it is you', { exact: true }).waitFor()
  })

  test("A page for an app says that it can't load the session, and goes on after another try", async () => {
    const app = await insertTestClient(pages().service, { redirect_uris: [REDIRECT_URI] })
    const { path } = await authorizationRequest(app, { scope: 'openid' })
    const page = await visit('/account')
    await heading(page, 'Your account')
    await routeOnce(page, '**/api/auth/get-session', (route) =>
      route.fulfill({ status: 429, json: { code: 'TOO_MANY_REQUESTS', message: 'Too many tries.' } }),
    )
    await page.goto(path)
    await page.getByRole('button', { name: 'Try again' }).click()
    await heading(page, 'Share your data with Grafana?')
  })

  test('The email address and the password of a sign-in for an app stay, unless the sign-in expires', async () => {
    const { service, newPage } = pages()
    const app = await insertTestClient(service, { redirect_uris: [REDIRECT_URI] })
    const { path } = await authorizationRequest(app, { scope: 'openid' })
    const page = await newPage()
    await page.goto(path)
    const field = page.getByRole('textbox', { name: 'Email address' })
    await field.fill('hilda@example.com')
    const interaction = new URL(page.url()).searchParams.get('interaction') ?? ''
    await failRequest(page, `interaction=${interaction}`)
    assert.equal(await field.inputValue(), 'hilda@example.com')
    service.advance(61 * 60_000)
    await page.context().setOffline(false)
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
    await heading(page, 'This sign-in has expired')
  })

  test('The name and the password of a sign-up stay, unless the invitation ends', async () => {
    const { service, newPage } = pages()
    const invitation = await invite(service, await administratorWithOrganization(service))
    const page = await newPage()
    await page.goto(invitation.linkPath)
    await page.getByLabel('Your name').fill('Hilda Hire')
    await failRequest(page, '/api/invitation')
    assert.equal(await page.getByLabel('Your name').inputValue(), 'Hilda Hire')
    await service.context.database.updateTable('invitations').set({ status: 'canceled' }).execute()
    await page.context().setOffline(false)
    // The browser sends this event when the user returns from another window.
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
    await heading(page, 'This invitation was canceled')
  })
})

/**
 * Runs in a page: the service makes the next change, and a proxy answers with a page of its own. The browser logs no error
 * of the network then. Resolves when the change is made.
 */
function answerAsProxy(): Promise<void> {
  const { fetch } = globalThis
  return new Promise((resolve) => {
    globalThis.fetch = async (input, init) => {
      const response = await fetch(input, init)
      if (init?.method !== 'POST') return response
      globalThis.fetch = fetch
      resolve()
      return new Response('<h1>502 Bad Gateway</h1>', { status: 502, headers: { 'content-type': 'text/html' } })
    }
  })
}

/** Runs in a page: the next response to a change breaks off after its head, or has no end. Resolves when it has begun. */
function answerWithHead(isBroken: boolean): Promise<void> {
  const { fetch } = globalThis
  return new Promise((resolve) => {
    globalThis.fetch = async (input, init) => {
      if (init?.method !== 'POST') return fetch(input, init)
      globalThis.fetch = fetch
      const body = new ReadableStream({
        start(controller) {
          if (isBroken) controller.error(new TypeError('network error'))
          else init?.signal?.addEventListener('abort', () => controller.error(new DOMException('', 'AbortError')))
        },
      })
      resolve()
      return new Response(body, { headers: { 'content-type': 'application/json' } })
    }
  })
}
