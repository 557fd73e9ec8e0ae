import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { MOMENT_NEAR_NOW } from '../support/moments.ts'
import { insertTestClient, insertTestConsent } from '../support/oauth-clients.ts'
import { inBrowser } from '../support/pages.ts'
import {
  administrator,
  administratorWithOrganization,
  member,
  newMember,
  PASSWORD,
  type TestMember,
} from '../support/users.ts'
import { openSession, waitForFocus } from '../support/visits.ts'

const STALE_MILLISECONDS = 16 * 60_000
/** After this time, a tab sends its requests again when the user returns to it. */
const UNUSED_MILLISECONDS = 11_000
const OAUTH2 = '/api/auth/oauth2'
const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'
const APP = { client_name: 'Graphs', redirect_uris: ['https://graphs.example.com/callback'] }

async function connect(page: Page, name: string, redirectUri?: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name)
  if (redirectUri) await page.getByLabel('Redirect URIs').fill(redirectUri)
  await page.getByRole('button', { name: 'Connect the app' }).click()
}

const clientsOf = async ({ client, organization }: TestMember) =>
  (await client.get(`${OAUTH2}/get-clients?organizationId=${organization.id}`)).body

inBrowser('Apps', (pages) => {
  test('An owner connects an app, sees its secret once, and closes the secret only after storing it', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const page = await newPage()
    await openSession(page, service, founder.email)
    await page.goto(`/organizations/${founder.organization.slug}/apps`)
    await connect(page, 'Graphs', 'http://graphs.example.com/callback')
    await page.getByText('The redirect URI must begin with https://.').waitFor()
    await page.getByLabel('Redirect URIs').fill('no address')
    await page.getByRole('button', { name: 'Connect the app' }).click()
    await page.getByText('no is not a whole address').waitFor()
    await page.getByLabel('Redirect URIs').fill('https://graphs.example.com/callback\nhttp://localhost:4000/callback')
    await page.getByText('no is not a whole address').waitFor({ state: 'detached' })
    service.advance(STALE_MILLISECONDS)
    await page.getByRole('button', { name: 'Connect the app' }).click()
    await page.getByRole('dialog').getByLabel('Your password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Go on' }).click()
    const secret = await page.getByLabel('Client secret').inputValue()
    assert.equal(secret.length, 43)
    assert.equal(await page.getByLabel('Issuer').inputValue(), service.baseUrl)
    assert.ok(await page.getByRole('button', { name: 'Close', exact: true }).isDisabled())
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByRole('row').filter({ hasText: 'Graphs' }).waitFor()
    const fresh = await member(service, founder, 'owner')
    const [created] = await clientsOf(fresh)
    assert.deepEqual(
      [created.redirect_uris, created.token_endpoint_auth_method, created.grant_types],
      [
        ['https://graphs.example.com/callback', 'http://localhost:4000/callback'],
        'client_secret_basic',
        ['authorization_code', 'refresh_token'],
      ],
    )
    assert.ok(!(await page.content()).includes(secret))
  })

  test('An owner edits an app, replaces its secret and deletes it by typing its name', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const { body } = await founder.client.post(`${OAUTH2}/create-client`, APP)
    const page = await newPage()
    await openSession(page, service, founder.email)
    await page.goto(`/organizations/${founder.organization.slug}/apps?open=${body.client_id}`)
    const details = page.locator('.row-details')
    await details.getByLabel('Name', { exact: true }).fill('Charts')
    await details.getByLabel('Redirect URIs', { exact: true }).fill('https://charts.example.com/callback')
    await details.getByLabel('Back-channel log-out').fill('https://10.0.0.1/logout')
    await details.getByRole('button', { name: 'Save' }).click()
    await details.getByText('The log-out address must not be in a private network.').waitFor()
    await details.getByLabel('Back-channel log-out').fill('https://charts.example.com/logout')
    await details.getByRole('button', { name: 'Save' }).click()
    await details.getByText('Saved.').waitFor()
    const [saved] = await clientsOf(founder)
    assert.deepEqual(
      [saved.client_name, saved.redirect_uris, saved.backchannel_logout_uri],
      ['Charts', ['https://charts.example.com/callback'], 'https://charts.example.com/logout'],
    )
    await page.getByRole('button', { name: 'Disable… Charts' }).click()
    await page.getByText('these sessions don’t come back').waitFor()
    await page.getByText('tokens that services already have expire within 15 minutes').waitFor()
    assert.equal((await clientsOf(founder))[0].disabled, false)
    await page.getByRole('button', { name: 'Disable this app' }).click()
    await page.getByRole('button', { name: 'Enable Charts' }).click()
    await page.getByRole('button', { name: 'Disable… Charts' }).waitFor()
    await page.getByRole('button', { name: 'Replace the secret… Charts' }).click()
    await page.getByText('The old one is refused at once').waitFor()
    await page.getByRole('button', { name: 'Replace the secret', exact: true }).click()
    await page.getByText('The old one is refused at once').waitFor({ state: 'detached' })
    await waitForFocus(page.getByRole('heading', { name: 'Enter this in “Charts”' }))
    assert.notEqual(await page.getByLabel('Client secret').inputValue(), body.client_secret)
    await page.getByRole('button', { name: 'Delete… Charts' }).click()
    await page.getByText('The app is not told').waitFor()
    await page.getByText('those that services already have expire within 15 minutes').waitFor()
    await page.getByLabel('Type Charts to go on').fill('Charts')
    await page.getByRole('button', { name: 'Delete this app' }).click()
    await page.getByText('No apps', { exact: true }).waitFor()
    assert.deepEqual(await clientsOf(founder), [])
  })

  test('A change of an app restores nothing that another manager removed, before and after the page knows it', async () => {
    const { service, newPage } = pages()
    const admin = await administrator(service)
    const [kept, removed] = ['https://kept.example.com/callback', 'https://removed.example.com/callback']
    const { body } = await admin.client.post(`${OAUTH2}/create-client`, {
      ...APP,
      redirect_uris: [kept, removed],
      post_logout_redirect_uris: [removed],
      backchannel_logout_uri: removed,
      skip_consent: true,
      ownedBy: 'service',
    })
    const page = await newPage()
    await page.clock.install()
    await openSession(page, service, admin.email)
    await page.goto(`/staff/apps?open=${body.client_id}`)
    const details = page.locator('.row-details')
    const skipsConsent = details.getByLabel('It is ours')
    assert.ok(await skipsConsent.isChecked())
    const update = {
      redirect_uris: [kept],
      post_logout_redirect_uris: [],
      backchannel_logout_uri: null,
      skip_consent: false,
    }
    const client_id = body.client_id
    assert.equal((await admin.client.post(`${OAUTH2}/update-client`, { client_id, update })).status, 200)
    // No other app has these names, so the row shows that the page knows what is stored.
    for (const name of ['Charts of two managers', 'Diagrams of two managers']) {
      await details.getByLabel('Name', { exact: true }).fill(name)
      await details.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('row').filter({ hasText: name }).first().waitFor()
      assert.equal(await details.getByLabel('Redirect URIs', { exact: true }).inputValue(), kept)
      assert.equal(await skipsConsent.isChecked(), false)
      const stored = (await admin.client.get(`${OAUTH2}/get-client?client_id=${client_id}`)).body
      assert.deepEqual(
        [stored.client_name, stored.redirect_uris, stored.post_logout_redirect_uris, stored.skip_consent],
        [name, [kept], [], false],
      )
      assert.equal(stored.backchannel_logout_uri, undefined)
    }

    await details.getByLabel('Redirect URIs', { exact: true }).fill(`${kept}\n${removed}`)
    const others = { redirect_uris: ['https://other.example.com/callback'] }
    await admin.client.post(`${OAUTH2}/update-client`, { client_id, update: others })
    await page.clock.fastForward(UNUSED_MILLISECONDS)
    await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))')
    await details.getByText('The list of redirect URIs has changed since you began to type.').waitFor()
  })

  test('A page that has not read a removed redirect URI can’t bring it back without a notice', async () => {
    const { service, newPage } = pages()
    const admin = await administrator(service)
    const [first = '', removed, added] = ['first', 'removed', 'added'].map(
      (name) => `https://${name}.example.com/callback`,
    )
    const { body } = await admin.client.post(`${OAUTH2}/create-client`, {
      ...APP,
      redirect_uris: [first, removed],
      post_logout_redirect_uris: [first, removed],
      ownedBy: 'service',
    })
    const client_id = body.client_id
    const readLists = async () => {
      const stored = (await admin.client.get(`${OAUTH2}/get-client?client_id=${client_id}`)).body
      return [stored.redirect_uris, stored.post_logout_redirect_uris]
    }
    const page = await newPage()
    await openSession(page, service, admin.email)
    await page.goto(`/staff/apps?open=${client_id}`)
    const details = page.locator('.row-details')
    for (const [index, [label, name, about]] of (
      [
        ['Redirect URIs', 'redirect_uris', 'The list of redirect URIs'],
        ['Log-out redirect URIs (optional)', 'post_logout_redirect_uris', 'The list of log-out redirect URIs'],
      ] as const
    ).entries()) {
      await details.getByLabel(label, { exact: true }).fill([first, removed, added].join('\n'))
      const update = { [name]: [first] }
      assert.equal((await admin.client.post(`${OAUTH2}/update-client`, { client_id, update })).status, 200)
      await details.getByRole('button', { name: 'Save' }).click()
      await details.getByText('The stored addresses have changed since this page was loaded').waitFor()
      await details.getByText(`${about} has changed since you began to type.`).waitFor()
      assert.deepEqual((await readLists())[index], [first])

      await details.getByLabel(label, { exact: true }).fill([first, added].join('\n'))
      await details.getByRole('button', { name: 'Save' }).click()
      await details.getByText('Saved.').waitFor()
      assert.deepEqual((await readLists())[index], [first, added])
    }

    // The type of the app follows from both lists, so the page needs both.
    const update = { redirect_uris: [first] }
    assert.equal((await admin.client.post(`${OAUTH2}/update-client`, { client_id, update })).status, 200)
    await details.getByLabel('Log-out redirect URIs (optional)').fill(first)
    await details.getByRole('button', { name: 'Save' }).click()
    await details.getByText('The stored addresses have changed since this page was loaded').waitFor()
    assert.deepEqual(await readLists(), [[first], [first, added]])
  })

  test('A field of an app whose change the user took back follows what another manager stores', async () => {
    const { service, newPage } = pages()
    const admin = await administrator(service)
    const metadata = { ...APP, skip_consent: true, ownedBy: 'service' }
    const { client_id } = (await admin.client.post(`${OAUTH2}/create-client`, metadata)).body
    const page = await newPage()
    await page.clock.install()
    await openSession(page, service, admin.email)
    await page.goto(`/staff/apps?open=${client_id}`)
    const details = page.locator('.row-details')
    const [name, skipsConsent] = [details.getByLabel('Name', { exact: true }), details.getByLabel('It is ours')]
    const changeElsewhere = async (update: object) => {
      assert.equal((await admin.client.post(`${OAUTH2}/update-client`, { client_id, update })).status, 200)
      await page.clock.fastForward(UNUSED_MILLISECONDS)
      await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))')
    }
    await name.fill('Graphsx')
    await name.fill('Graphs')
    await skipsConsent.uncheck()
    await skipsConsent.check()
    await changeElsewhere({ client_name: 'My Charts', skip_consent: false })
    await page.getByRole('row').filter({ hasText: 'My Charts' }).first().waitFor()
    assert.equal(await name.inputValue(), 'My Charts')
    assert.equal(await skipsConsent.isChecked(), false)

    await name.fill('Graphs')
    await skipsConsent.check()
    await changeElsewhere({ client_name: 'MyCharts', skip_consent: true })
    await details.getByText('The name has changed since you began to type.').waitFor()
    await skipsConsent.uncheck()
    await name.fill('My Charts')
    assert.equal(await details.getByText('has changed since you began').count(), 2)
    await details.getByRole('button', { name: 'Save' }).click()
    await details.getByText('Saved.').waitFor()
    const stored = (await admin.client.get(`${OAUTH2}/get-client?client_id=${client_id}`)).body
    assert.deepEqual([stored.client_name, stored.skip_consent], ['My Charts', false])
    assert.equal(await name.inputValue(), 'My Charts')
  })

  test('An app without a server is shown as a website while a redirect URI on localhost makes it native', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const [website, program] = [['authorization_code'], ['authorization_code', DEVICE_CODE]].map((grant_types) => ({
      ...APP,
      grant_types,
      token_endpoint_auth_method: 'none',
      ...(grant_types.includes(DEVICE_CODE) && { application_type: 'native' }),
    }))
    const page = await newPage()
    await openSession(page, service, founder.email)
    for (const [metadata, before, after, kind] of [
      [website, 'native', 'web', 'Website without a server'],
      [program, 'native', 'native', 'Program, mobile app or device'],
    ] as const) {
      const { body } = await founder.client.post(`${OAUTH2}/create-client`, metadata)
      for (const [address, type] of [
        ['http://localhost:4000/callback', before],
        ['http://127.0.0.1:4000/callback', before],
        ['https://graphs.example.com/', after],
      ] as const) {
        await page.goto(`/organizations/${founder.organization.slug}/apps?open=${body.client_id}`)
        const details = page.locator('.row-details')
        await details.getByLabel('Redirect URIs', { exact: true }).fill(address)
        await details.getByRole('button', { name: 'Save' }).click()
        await details.getByText('Saved.').waitFor()
        await page.getByRole('row').filter({ hasText: 'Graphs' }).filter({ hasText: kind }).waitFor()
        const saved = (await clientsOf(founder)).find(({ client_id }: typeof body) => client_id === body.client_id)
        assert.deepEqual([saved.redirect_uris, saved.application_type], [[address], type])
      }
    }
  })

  test('A native app that registered itself is shown as a program, also with a redirect URI on localhost', async () => {
    const { service, newPage } = pages()
    const { email } = await administrator(service)
    const redirect_uris = ['http://localhost:4000/callback']
    await insertTestClient(service, { client_name: 'Assistant', redirect_uris, application_type: 'native' })
    const page = await newPage()
    await openSession(page, service, email)
    await page.goto('/staff/apps')
    const row = page.getByRole('row').filter({ hasText: 'Assistant' }).filter({ hasText: 'Registered itself' })
    await row.getByText('Program, mobile app or device').waitFor()
  })

  test('Members and admins of an organization see who connects apps, without a refused request', async () => {
    const { service, newPage } = pages()
    const admin = await newMember(service, 'admin')
    const page = await newPage()
    const refused: string[] = []
    page.on('response', (response) => response.status() >= 400 && refused.push(response.url()))
    await openSession(page, service, admin.email)
    await page.goto(`/organizations/${admin.organization.slug}/apps`)
    await page.getByText('Only owners do this. You are an admin.').waitFor()
    assert.deepEqual(refused, [])
  })

  test('An administrator connects an app of the service that asks no consent, and a machine', async () => {
    const { service, newPage } = pages()
    const { email, client } = await administrator(service)
    const page = await newPage()
    await openSession(page, service, email)
    await page.goto('/staff/apps')
    await page.getByLabel('It is ours').check()
    await connect(page, 'Intranet', 'https://intranet.example.com/callback')
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByLabel('Machine').check()
    assert.equal(await page.getByLabel('Redirect URIs').count(), 0)
    await connect(page, 'Nightly export')
    await page.getByText('Enter this in “Nightly export”').waitFor()
    const { body } = await client.get(`${OAUTH2}/get-clients?ownedBy=service`)
    const found = body.map((one: { client_name: string; skip_consent: boolean; grant_types: string[] }) => [
      one.client_name,
      one.skip_consent,
      one.grant_types[0],
    ])
    assert.deepEqual(found.slice(-2), [
      ['Intranet', true, 'authorization_code'],
      ['Nightly export', false, 'client_credentials'],
    ])
  })

  test('A user sees the apps with access, what each sees, and ends the access of one', async () => {
    const { service, newPage } = pages()
    const { id, email, client } = await newMember(service)
    const page = await newPage()
    await openSession(page, service, email)
    const metadata = (client_name: string) => ({ client_name, client_uri: 'https://example.com/' })
    await insertTestConsent(service, id, { metadata: metadata('Charts') })
    const columns = { createdBy: 'usr_operator' }
    await insertTestConsent(service, id, { metadata: metadata('Graphs'), columns })
    await page.goto('/account/security')
    const apps = page.getByRole('region', { name: 'Apps with access' })
    const row = apps.getByRole('listitem').filter({ hasText: 'Charts' })
    await row.getByText('It sees your email address.').waitFor()
    await row.getByText('Registered itself here: we don’t know who runs it.').waitFor()
    assert.equal(await apps.getByText('Registered itself').count(), 1, 'not the app of the service')
    await row.getByRole('link', { name: 'Charts (example.com) (in a new tab)' }).waitFor()
    await apps.getByRole('link', { name: 'Graphs (in a new tab)' }).waitFor()
    await row.getByText(new RegExp(`Last used ${MOMENT_NEAR_NOW}`)).waitFor()
    await row.getByRole('button', { name: 'End access… Charts' }).click()
    await row.getByText('lets it act for you at other services for up to 15 minutes').waitFor()
    await row.getByRole('button', { name: 'End the access', exact: true }).click()
    await row.waitFor({ state: 'detached' })
    await page.getByText('The access of the app “Charts” was ended.').waitFor()
    const { body } = await client.get(`${OAUTH2}/list-apps`)
    assert.deepEqual(
      body.map(({ name }: { name: string }) => name),
      ['Graphs'],
    )
  })
})
