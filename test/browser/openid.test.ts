import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import type { Page } from 'playwright-core'
import { DEVICE_CODE_GRANT } from '../../server/core/oauth-clients/metadata.ts'
import type { OAuthClientRow } from '../../server/platform/database/tables.ts'
import { newVirtualAuthenticator } from '../support/browser.ts'
import { MOMENT_NEAR_NOW } from '../support/moments.ts'
import { insertTestClient } from '../support/oauth-clients.ts'
import { payloadOf } from '../support/openid.ts'
import { startOtherApp } from '../support/other-app.ts'
import { startOtherSite } from '../support/other-site.ts'
import { inBrowser } from '../support/pages.ts'
import { showRecoveryCodes } from '../support/recovery-codes.ts'
import { holdNext, loseNextResponse } from '../support/route-once.ts'
import { appOfUri, enableTotp } from '../support/two-step.ts'
import {
  administratorWithOrganization,
  joinOrganization,
  member,
  newMember,
  PASSWORD,
  type TestUser,
} from '../support/users.ts'
import {
  assertAbsent,
  fillSignIn,
  focused,
  heading,
  openSession,
  signInByRequest,
  waitForFocus,
  waitForFrames,
} from '../support/visits.ts'

const app = await startOtherApp('127.0.0.1')
const { pathOf, assertReturned, redirectUri } = app
const other = await startOtherSite()
const SCOPE = 'openid profile email organization offline_access'

inBrowser('Pages for apps and devices', (pages) => {
  after(() => {
    app.stop()
    other.stop()
  })
  afterEach(() => {
    pages().service.config.requireTwoFactor = 'none'
  })

  const newClient = (columns: Partial<OAuthClientRow> = {}) => {
    const uris = { redirect_uris: [redirectUri], post_logout_redirect_uris: [`${app.origin}/bye`] }
    return insertTestClient(pages().service, { ...uris, scope: SCOPE }, { createdBy: 'usr_operator', ...columns })
  }
  /** A signed-in member of one organization. */
  const visit = async () => {
    const first = await administratorWithOrganization(pages().service)
    const user = await member(pages().service, first)
    const page = await pages().newPage()
    await openSession(page, pages().service, user.email)
    return { page, user, organization: first.organization }
  }
  const leave = async ({ id }: TestUser, organizationId: string) => {
    const memberships = pages().service.context.database.deleteFrom('members').where('userId', '=', id)
    await memberships.where('organizationId', '=', organizationId).execute()
  }
  /** Starts a device. @returns the code and the link for the user, and a function that asks for the tokens */
  const startDevice = async (page: Page, parameters: Record<string, string> = {}) => {
    const { id } = await insertTestClient(pages().service, {
      client_name: 'Box',
      grant_types: [DEVICE_CODE_GRANT],
      response_types: [],
      redirect_uris: [],
      scope: SCOPE,
    })
    const started = await page.request.post('/api/auth/device/code', {
      form: { client_id: id, scope: SCOPE, ...parameters },
    })
    const { user_code: userCode, device_code, verification_uri_complete: link } = await started.json()
    const form = { client_id: id, grant_type: DEVICE_CODE_GRANT, device_code }
    const poll = async () => (await page.request.post('/api/auth/oauth2/token', { form })).json()
    return { userCode: String(userCode), link: String(link), poll }
  }

  test('Consent names the app and what it will see, takes a refusal, and asks once', async () => {
    const { page, user, organization } = await visit()
    const path = await pathOf(await newClient(), { scope: SCOPE })
    await page.goto(path)
    await heading(page, 'Share your data with Grafana?')
    for (const text of ['Run by Accounts', 'Takes you back to', user.email, organization.name, 'a member'])
      await page.getByText(text).first().waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Don’t allow' }).dblclick()
    await heading(page, 'The other service')
    assert.equal(new URL(page.url()).searchParams.get('error'), 'access_denied')
    await page.goto(new URL(path, pages().service.baseUrl).href)
    await heading(page, 'Share your data with Grafana?')
    await page.getByRole('button', { name: 'Allow', exact: true, disabled: false }).focus()
    await page.keyboard.press('Enter')
    await assertReturned(page)
    await page.goto(new URL(path, pages().service.baseUrl).href)
    await assertReturned(page)
  })

  test('The consent page and the list of apps name all that the scope organization gives', async () => {
    const { page, user } = await visit()
    await page.goto(await pathOf(await newClient(), { scope: 'openid organization' }))
    await heading(page, 'Share your data with Grafana?')
    const list = page.getByRole('region', { name: 'What Grafana gets' })
    for (const text of ['Your name', user.email]) await list.getByText(text, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await assertReturned(page)
    await page.goto(new URL('/account/security', pages().service.baseUrl).href)
    await page.getByText('It sees your name, your email address, your organization, and your role in it.').waitFor()
  })

  test('An app that opens the sign-in in a popup sees the popup as closed, so it must sign in by redirect', async () => {
    const { page } = await visit()
    const url = new URL(await pathOf(await newClient()), pages().service.baseUrl).href
    await page.goto(app.origin)
    const opened = page.waitForEvent('popup')
    await page.evaluate(`popup = open('${url}')`)
    const popup = await opened
    await heading(popup, 'Share your data with Grafana?')
    assert.equal(await page.evaluate('popup.closed'), true)
    await popup.getByRole('button', { name: 'Allow', exact: true }).click()
    await assertReturned(popup)
    assert.equal(await popup.evaluate('opener'), null)
  })

  test('Consent lets another user sign in, and asks that user, too', async () => {
    const { page, user } = await visit()
    const other = await newMember(pages().service)
    await page.goto(await pathOf(await newClient(), { scope: 'openid email' }))
    await page.getByText(`Signed in as ${user.email}`).waitFor()
    await page.getByRole('link', { name: 'Use another account' }).click()
    await heading(page, 'Sign in')
    assert.equal(await page.getByRole('textbox', { name: 'Email address' }).inputValue(), '')
    await fillSignIn(page, other.email)
    await page.getByText(`Signed in as ${other.email}`).waitFor()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await assertReturned(page)
  })

  test('Consent after the end of the session lets the user sign in first', async () => {
    const { page, user } = await visit()
    await page.goto(await pathOf(await newClient(), { scope: 'openid email' }))
    await heading(page, 'Share your data with Grafana?')
    await page.context().clearCookies({ name: 'session' })
    await page.reload()
    await page.getByText('to go on to Grafana').waitFor()
    await fillSignIn(page, user.email)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await assertReturned(page)
  })

  test('Consent shows the hosts of the links of an app that registered itself, and of no other app', async () => {
    const { page } = await visit()
    const uris = { policy_uri: 'https://privacy.example.com/', tos_uri: 'http://terms.example.net:8080/' }
    const metadata = { redirect_uris: [redirectUri], ...uris }
    for (const [createdBy, names] of [
      [null, ['Privacy policy (privacy.example.com)', 'Terms (terms.example.net:8080)']],
      ['usr_operator', ['Privacy policy', 'Terms']],
    ] as const) {
      const client = await insertTestClient(pages().service, metadata, { createdBy })
      await page.goto(await pathOf(client, { scope: 'openid email' }))
      for (const name of names) await page.getByRole('link', { name: `${name} (in a new tab)`, exact: true }).waitFor()
    }
  })

  test('After consent for an app on the device, the page says that the app goes on, and links lead on from there', async () => {
    const { page } = await visit()
    const native = 'com.example.app:/callback'
    const client = await insertTestClient(pages().service, { application_type: 'native', redirect_uris: [native] })
    await page.clock.install()
    await page.goto(await pathOf(client, { scope: 'openid email', redirect_uri: native }))
    await page.getByText('Takes you back to an app on this device').waitFor()
    // Without this route, the browser would log an error, because no app answers. With status 204 it stays on the page.
    await page.route('**/api/auth/oauth2/authorize/*', (route) => route.fulfill({ status: 204 }))
    const left = page.waitForRequest('**/api/auth/oauth2/authorize/*')
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await left
    await page.clock.fastForward(2000)
    await heading(page, 'Go on in Grafana')
    const address = page.url()
    await page.getByRole('banner').getByRole('link').click()
    await heading(page, 'Your account')
    await page.goBack()
    await heading(page, 'Go on in Grafana')
    assert.equal(page.url(), address)
  })

  test('A user of several organizations chooses one with a click', async () => {
    const { page, user } = await visit()
    const founder = await administratorWithOrganization(pages().service)
    await joinOrganization(pages().service, user, founder)
    await page.goto(await pathOf(await newClient({ skipConsent: 1 }), { scope: 'openid organization' }))
    await heading(page, 'Choose an organization')
    await page.reload()
    const choices = page.getByRole('list', { name: 'Your organizations' }).getByRole('button')
    // Both organizations have the same name.
    await choices.filter({ hasText: `Member, ${founder.organization.slug}` }).waitFor()
    await choices.first().dblclick()
    await assertReturned(page)
  })

  test('A user whom the app asks for two-step verification sets it up on the way, and later enters a code', async () => {
    const { service } = pages()
    const { page } = await visit()
    const path = await pathOf(await newClient({ skipConsent: 1 }), {
      scope: 'openid',
      acr_values: 'urn:accounts:two-step',
    })
    const previous = page.url()
    await page.goto(path)
    await heading(page, 'One more step to go on to Grafana')
    await page.getByText('Grafana asks for two-step verification. It takes about two minutes').waitFor()
    await page.getByLabel('Your password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Go on' }).click()
    const uri = await page.getByRole('link', { name: 'Open it with the key' }).getAttribute('href')
    const { codeAt } = appOfUri(uri ?? '')
    await page.getByLabel('Code of your authenticator app').fill(codeAt(service.context.now()))
    await page.getByLabel('I have stored them').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await assertReturned(page)
    await page.goBack()
    assert.equal(page.url(), previous, 'the page has left the history')

    const later = await visit()
    const twoStep = await enableTotp(service, later.user)
    await later.page.goto(path)
    await later.page.getByLabel('Code of your authenticator app').fill(twoStep.codeAt(service.context.now()))
    await assertReturned(later.page)
  })

  test('A user whom the service asks for two-step verification uses the passkey on the way, and is offered no setup', async () => {
    const { page } = await visit()
    await newVirtualAuthenticator(page)
    await page.goto('/account/security')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    pages().service.config.requireTwoFactor = 'all'
    await page.goto(await pathOf(await newClient({ skipConsent: 1 }), { scope: 'openid' }))
    await heading(page, 'One more step to go on to Grafana')
    await page.getByText('You signed in without your passkey.').waitFor()
    await assertAbsent(page.getByRole('heading', { name: 'Set up two-step verification' }))
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await assertReturned(page)
  })

  test('The form of an app’s log-out ends the session and returns to the app, and so does form_post', async () => {
    const { page } = await visit()
    const client = await newClient({ skipConsent: 1 })
    await page.goto(await pathOf(client, { scope: 'openid', response_mode: 'form_post' }))
    await heading(page, 'The other service')
    const query = new URLSearchParams({ client_id: client.id, post_logout_redirect_uri: `${app.origin}/bye` })
    await page.goto(`${pages().service.baseUrl}/api/auth/oauth2/end-session?${query}`)
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await heading(page, 'The other service')
    assert.equal(page.url(), `${app.origin}/bye`)
    await page.goto(`${pages().service.baseUrl}/account`)
    await heading(page, 'Sign in')
  })

  test('The log-out of an app returns to it at once in a browser that is signed out and has signed in before', async () => {
    const { service } = pages()
    const page = await pages().newPage()
    await signInByRequest(page, (await newMember(service)).email)
    await page.context().clearCookies({ name: 'session' })
    const cookies = await page.context().cookies()
    assert.deepEqual(
      cookies.map(({ name }) => name),
      ['device'],
    )
    const query = new URLSearchParams({
      client_id: (await newClient()).id,
      post_logout_redirect_uri: `${app.origin}/bye`,
    })
    await page.goto(`/api/auth/oauth2/end-session?${query}`)
    await heading(page, 'The other service')
    assert.equal(page.url(), `${app.origin}/bye`)
  })

  test('An app redirects to another origin after form_post, and after a log-out with and without a question', async () => {
    const { service } = pages()
    const { page } = await visit()
    const next = `${other.origin}/welcome`
    const [callback, bye] = ['callback', 'bye'].map((path) => `${app.origin}/${path}?${new URLSearchParams({ next })}`)
    assert.ok(callback && bye)
    const client = await insertTestClient(
      service,
      { redirect_uris: [callback], post_logout_redirect_uris: [bye] },
      { createdBy: 'usr_operator', skipConsent: 1 },
    )
    const assertRedirected = async () => {
      await page.waitForURL(next)
      await heading(page, 'The other service')
      await page.goto(app.origin)
    }
    await page.goto(await pathOf(client, { redirect_uri: callback, response_mode: 'form_post' }))
    await assertRedirected()
    const query = new URLSearchParams({ client_id: client.id, post_logout_redirect_uri: bye })
    const logOut = `${service.baseUrl}/api/auth/oauth2/end-session?${query}`
    await page.goto(logOut)
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await assertRedirected()
    await page.goto(logOut)
    await assertRedirected()
  })

  test('A device code is typed in any form, sign-in comes between, and approval reaches the device', async () => {
    const { page, user } = await visit()
    await page.context().clearCookies()
    const { userCode, poll } = await startDevice(page)
    await page.goto('/device')
    await heading(page, 'Sign in')
    await fillSignIn(page, user.email)
    await heading(page, 'Connect a device')
    const field = page.getByLabel('Code', { exact: true })
    await field.fill('bcdf-bcdf')
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('There is no such code, or it has expired or was used.').waitFor()
    assert.equal(await focused(page), 'userCode')
    await field.fill(userCode.toLowerCase().replace('-', ' '))
    await page.getByRole('button', { name: 'Go on' }).click()
    await heading(page, 'Connect Box?')
    await page.getByText(userCode).waitFor()
    await page.getByText('Did you get this code by phone, email or chat? Then press Deny.').waitFor()
    await page.getByText('Registered itself here').waitFor()
    await page.getByText(new RegExp(`It asked ${MOMENT_NEAR_NOW}.*, from 10\\.`)).waitFor()
    await page.reload()
    await heading(page, 'Connect Box?')
    assert.equal((await poll()).error, 'authorization_pending')
    await page.getByRole('button', { name: 'Approve' }).dblclick()
    await heading(page, 'Your device is connected')
    pages().service.advance(60_000)
    assert.ok((await poll()).access_token)
    await page.reload()
    await heading(page, 'Your device is connected')
  })

  test('Back to the page of a device shows the answer, not the question', async () => {
    const { page } = await visit()
    for (const [answer, title] of [
      ['Approve', 'Your device is connected'],
      ['Deny', 'Denied'],
    ] as const) {
      await page.goto((await startDevice(page)).link)
      await page.getByRole('button', { name: 'Go on' }).click()
      await page.getByRole('button', { name: answer }).click()
      await heading(page, title)
      await page.getByRole('link', { name: 'Go to your account' }).click()
      await heading(page, 'Your account')
      await page.goBack()
      await heading(page, title)
    }
  })

  test('On the page of a device, a user signs out, and connects the device to another account', async () => {
    const { page, user } = await visit()
    const other = await newMember(pages().service)
    const { link, poll } = await startDevice(page)
    await page.goto(link)
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText(`(${user.email})`).waitFor()
    await page.getByRole('button', { name: 'Sign out and use another account' }).click()
    await heading(page, 'Sign in')
    await fillSignIn(page, other.email)
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText(`(${other.email})`).waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await heading(page, 'Your device is connected')
    assert.equal(payloadOf((await poll()).access_token).sub, other.id)
  })

  test('A second press of Approve, after the response was lost, shows that the device is connected', async () => {
    const { page } = await visit()
    const { link, poll } = await startDevice(page)
    await page.goto(link)
    await page.getByRole('button', { name: 'Go on' }).click()
    await loseNextResponse(page, '**/api/auth/device/approve')
    const approve = page.getByRole('button', { name: 'Approve' })
    await approve.waitFor()
    // A code that can't be read again must not look expired.
    let isLost = true
    await page.route('**/api/auth/device?*', (route) =>
      isLost ? route.fulfill({ contentType: 'application/json', body: '{"sta' }) : route.fallback(),
    )
    await approve.click()
    await page.getByRole('alert').waitFor()
    await approve.click()
    // The page also reads the code after the first press, so a response alone does not show the end of this press.
    await page.getByRole('button', { name: 'Connecting…' }).waitFor()
    await approve.waitFor()
    isLost = false
    await approve.click()
    await heading(page, 'Your device is connected')
    assert.ok((await poll()).access_token)
  })

  test('A device gets access after the two-step verification that the service requires', async () => {
    const { service } = pages()
    const { page, user } = await visit()
    const { codeAt } = await enableTotp(service, user)
    const { link, poll } = await startDevice(page)
    service.config.requireTwoFactor = 'all'
    await page.goto(link)
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await heading(page, 'One more step to connect Box')
    await page.getByLabel('Code of your authenticator app').fill(codeAt(service.context.now()))
    await heading(page, 'Your device is connected')
    assert.ok((await poll()).access_token)
  })

  test('A setup of two-step verification on the page of a device offers no passkey that would hide the recovery codes', async () => {
    const { service } = pages()
    const { page } = await visit()
    await newVirtualAuthenticator(page)
    await page.goto('/account/security')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    const { link, poll } = await startDevice(page, { acr_values: 'urn:accounts:two-step' })
    await page.goto(link)
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    const passkey = page.getByRole('button', { name: 'Use a passkey' })
    await passkey.waitFor()
    await showRecoveryCodes(service, page)
    assert.equal(await passkey.count(), 0)
    await page.getByLabel('I have stored them').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await heading(page, 'Your device is connected')
    assert.ok((await poll()).access_token)
  })

  test('A device gets the organization that its page showed, also after its user has joined a second one', async () => {
    const { page, user, organization } = await visit()
    const { link, poll } = await startDevice(page)
    await page.goto(link)
    await page.getByRole('button', { name: 'Go on' }).click()
    await heading(page, 'Connect Box?')
    await joinOrganization(pages().service, user, await administratorWithOrganization(pages().service))
    await page.getByRole('button', { name: 'Approve' }).click()
    await heading(page, 'Your device is connected')
    assert.equal(payloadOf((await poll()).access_token).org_id, organization.id)
  })

  test('The page of a device asks for the organization after its user, who was in none, has joined two', async () => {
    const { page, user, organization } = await visit()
    const [first, founder] = [
      await administratorWithOrganization(pages().service),
      await administratorWithOrganization(pages().service),
    ]
    await leave(user, organization.id)
    const { link, poll } = await startDevice(page)
    await page.goto(link)
    await page.getByRole('button', { name: 'Go on' }).click()
    await heading(page, 'Connect Box?')
    for (const joined of [first, founder]) await joinOrganization(pages().service, user, joined)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Choose the organization that the device works for.').waitFor()
    await assertAbsent(page.getByRole('alert'))
    await page.getByLabel('Organization').selectOption(`Example Works (Member, ${founder.organization.slug})`)
    await page.getByRole('button', { name: 'Approve' }).click()
    await heading(page, 'Your device is connected')
    assert.ok((await poll()).access_token)
  })

  test('The page of a device, or of a consent, shows the organization of now when the user has left the shown one', async () => {
    const { page, user, organization } = await visit()
    const founder = await administratorWithOrganization(pages().service)
    const { link, poll } = await startDevice(page)
    await page.goto(link)
    await page.getByRole('button', { name: 'Go on' }).click()
    await heading(page, 'Connect Box?')
    await leave(user, organization.id)
    await joinOrganization(pages().service, user, founder)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Your organizations have changed.').waitFor()
    assert.ok((await poll()).error)
    await page.getByRole('button', { name: 'Approve' }).click()
    await heading(page, 'Your device is connected')

    const third = await administratorWithOrganization(pages().service)
    await page.goto(await pathOf(await newClient(), { scope: SCOPE }))
    await heading(page, 'Share your data with Grafana?')
    await leave(user, founder.organization.id)
    await joinOrganization(pages().service, user, third)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByText('Your organizations have changed.').waitFor()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await assertReturned(page)
  })

  test('The check of a device code does not lead a user back who has gone to the account', async () => {
    const { page } = await visit()
    const { link } = await startDevice(page)
    await page.goto(link)
    const held = await holdNext(page, '**/api/auth/device?*')
    const checked = page.waitForResponse('**/api/auth/device?*')
    await page.getByRole('button', { name: 'Go on' }).click()
    await held.sent
    await page.getByRole('link', { name: 'Accounts', exact: true }).click()
    await heading(page, 'Your account')
    held.release()
    await (await checked).finished()
    await waitForFrames(page)
    assert.equal(new URL(page.url()).pathname, '/account')
  })

  test('A link with a device code fills it in, asks for the organization, and takes a refusal', async () => {
    const { page, user } = await visit()
    const founder = await administratorWithOrganization(pages().service)
    await joinOrganization(pages().service, user, founder)
    const { userCode, link, poll } = await startDevice(page)
    await page.goto(link)
    assert.equal(await page.getByLabel('Code', { exact: true }).inputValue(), userCode)
    await page.getByRole('button', { name: 'Go on' }).click()
    const field = page.getByLabel('Organization')
    for (const _ of [1, 2]) {
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByText('Choose the organization that the device works for.').waitFor()
      await waitForFocus(field)
    }
    await field.selectOption(`Example Works (Member, ${founder.organization.slug})`)
    await page.getByRole('button', { name: 'Deny' }).click()
    await heading(page, 'Denied')
    assert.equal((await poll()).error, 'access_denied')
  })
})
