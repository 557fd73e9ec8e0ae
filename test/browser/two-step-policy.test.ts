import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { Page } from 'playwright-core'
import { STAFF_SECTIONS } from '../../web/frame/sections.ts'
import { newVirtualAuthenticator } from '../support/browser.ts'
import { inBrowser } from '../support/pages.ts'
import { routeOnce } from '../support/route-once.ts'
import { userWithRole } from '../support/staff.ts'
import { appOfUri, enableTotp } from '../support/two-step.ts'
import { administrator, administratorWithOrganization, newMember, PASSWORD } from '../support/users.ts'
import { assertAbsent, heading, openAccount, openSession } from '../support/visits.ts'

inBrowser('Required two-step verification', (pages) => {
  afterEach(() => {
    pages().service.config.requireTwoFactor = 'none'
  })

  test('The staff console says what is missing, leads to the setup and back', async () => {
    const { service, newPage } = pages()
    const { email } = await userWithRole(service, await administrator(service), 'support')
    const page = await newPage()
    await openAccount(page, service, email)
    service.config.requireTwoFactor = 'staff'
    await page.goto('/staff/users?search=ada')
    await heading(page, 'One more step to open this page')
    await page.getByText('This service asks for two-step verification. You signed in without it.').waitFor()
    await page.getByRole('link', { name: 'Set up two-step verification' }).click()
    await heading(page, 'Security')
    await page.getByRole('status').getByText('This service asks for two-step verification.').waitFor()
    await page.getByLabel('Your password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Go on' }).click()
    const uri = await page.getByRole('link', { name: 'Open it with the key' }).getAttribute('href')
    const code = appOfUri(uri ?? '').codeAt(service.context.now())
    await page.getByLabel('Code of your authenticator app').fill(code)
    await page.getByLabel('I have stored them').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('link', { name: 'Go on where you were' }).click()
    await heading(page, 'Users')
    await page.getByRole('cell', { name: 'admin@example.com', exact: true }).waitFor()
    assert.equal(new URL(page.url()).search, '?search=ada')
  })

  /** A user with a passkey and a session of the password alone. */
  async function visitWithPasskey(email: string): Promise<Page> {
    const page = await pages().newPage()
    await openSession(page, pages().service, email)
    await newVirtualAuthenticator(page)
    await page.goto('/account/security')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    return page
  }

  test('A user whose passkey is missing where two steps are required uses it in the banner, and then changes passkeys', async () => {
    const { service } = pages()
    const { email, client, organization } = await newMember(service, 'owner')
    const page = await visitWithPasskey(email)
    const required = { organizationId: organization.id, data: { requireTwoFactor: true } }
    assert.equal((await client.post('/api/auth/organization/update', required)).status, 200)
    await page.reload()
    const banner = page.getByRole('status').filter({ hasText: `${organization.name} asks for two-step verification.` })
    await banner.getByText('You signed in without your passkey.').waitFor()
    await assertAbsent(banner.getByRole('link', { name: 'Set it up' }))
    const remove = async () => {
      await page.getByRole('button', { name: /^Remove/ }).click()
      await page.getByRole('button', { name: 'Remove this passkey' }).click()
    }
    await remove()
    await page.getByRole('alert').getByText('Use your passkey first').waitFor()
    await page.keyboard.press('Escape')
    await banner.getByRole('button', { name: 'Use a passkey' }).click()
    await banner.waitFor({ state: 'detached' })
    await remove()
    await page.getByRole('button', { name: /^Rename/ }).waitFor({ state: 'detached' })
  })

  test('The staff console asks a user who has a passkey for it, and offers no setup, which would be refused', async () => {
    const { service } = pages()
    const { email } = await userWithRole(service, await administrator(service), 'support')
    const page = await visitWithPasskey(email)
    service.config.requireTwoFactor = 'staff'
    await page.goto('/staff/users')
    await page.getByText('You signed in without your passkey.').waitFor()
    await assertAbsent(page.getByRole('link', { name: 'Set up two-step verification' }))
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await heading(page, 'Users')
  })

  test('Every page of the staff console says what is missing, and shows nothing else', async () => {
    const { service, newPage } = pages()
    const page = await newPage()
    await openAccount(page, service, (await administrator(service)).email)
    service.config.requireTwoFactor = 'staff'
    for (const { path } of STAFF_SECTIONS) {
      await page.goto(path)
      await heading(page, 'One more step to open this page')
      assert.equal(await page.getByRole('main').getByRole('region').count(), 1, path)
    }
  })

  test('A new secret of an app of the service stays when the session no longer opens the staff console', async () => {
    const { service, newPage } = pages()
    const page = await newPage()
    await openAccount(page, service, (await administrator(service)).email)
    const listed = page.waitForResponse('**/oauth2/get-clients?*')
    await page.goto('/staff/apps')
    await listed
    await page.getByLabel('Name', { exact: true }).fill('Graphs')
    await page.getByLabel('Redirect URIs').fill('https://graphs.example.com/callback')
    await routeOnce(page, '**/oauth2/create-client', async (route) => {
      const response = await route.fetch()
      service.config.requireTwoFactor = 'staff'
      await route.fulfill({ response })
    })
    await page.getByRole('button', { name: 'Connect the app' }).click()
    await page.getByText('Sign in with a passkey or a code, or set it up at').waitFor()
    assert.notEqual(await page.getByLabel('Client secret').inputValue(), '')
  })

  test('A session from before the setup opens the staff console with a code, or with a passkey', async () => {
    const { service, newPage } = pages()
    const staff = await userWithRole(service, await administrator(service), 'support')
    const page = await newPage()
    await openAccount(page, service, staff.email)
    await newVirtualAuthenticator(page)
    await page.goto('/account/security')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    const { codeAt } = await enableTotp(service, staff)
    service.config.requireTwoFactor = 'staff'
    await page.goto('/staff/users')
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
    await page.getByLabel('Code of your authenticator app').fill(codeAt(service.context.now()))
    await heading(page, 'Users')
  })

  test('A page whose requirement was not changed saves none, also if another owner has changed it', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const page = await newPage()
    await openSession(page, service, founder.email)
    await page.goto(`/organizations/${founder.organization.slug}/settings`)
    const choice = page.getByRole('checkbox', { name: 'Require two-step verification' })
    await choice.check()
    await choice.uncheck()
    const required = { organizationId: founder.organization.id, data: { requireTwoFactor: true } }
    assert.equal((await founder.client.post('/api/auth/organization/update', required)).status, 200)
    await page.getByRole('button', { name: 'Save the requirement' }).click()
    await page.getByText('You changed nothing.').waitFor()
    assert.ok(await choice.isChecked())
    assert.equal((await founder.client.get(`/api/token?org=${founder.organization.slug}`)).status, 403)
  })

  test('The pages of an organization say that it asks for two-step verification, and warn an owner before requiring it', async () => {
    const { service, newPage } = pages()
    const { client, email, organization } = await newMember(service, 'owner')
    const other = (
      await client.post('/api/auth/organization/create', { name: 'Other', slug: `other-${organization.slug}` })
    ).body
    const page = await newPage()
    await openAccount(page, pages().service, email)
    await page.goto(`/organizations/${organization.slug}/settings`)
    const warning = page.getByText('You have no two-step verification yourself.')
    await warning.waitFor()
    await page.getByRole('checkbox', { name: 'Require two-step verification' }).check()
    await page.getByRole('button', { name: 'Save the requirement' }).click()
    const banner = page.getByRole('status').getByText(`${organization.name} asks for two-step verification.`)
    await banner.waitFor()
    await warning.waitFor({ state: 'detached' })

    await page.goto(`/organizations/${other.slug}/settings`)
    await warning.waitFor()
    // Other organizations ask for nothing here.
    await assertAbsent(banner)
    await page.goto(`/organizations/${organization.slug}/api-keys`)
    await banner.waitFor()
    await page.getByRole('link', { name: 'Set it up' }).click()
    await heading(page, 'Security')
  })

  test('An administrator resets two-step verification with a reason, and sees what the user has', async () => {
    const { service, newPage } = pages()
    const admin = await administrator(service)
    const user = await newMember(service)
    await enableTotp(service, user)
    const page = await newPage()
    await openAccount(page, service, admin.email)
    await page.goto('/staff/users?filter=has:two-step')
    await page.getByRole('cell', { name: user.email, exact: true }).waitFor()
    await page.goto(`/staff/users/${user.id}?tab=sign-in`)
    await page.getByText('On, with an authenticator app. 10 recovery codes left.').waitFor()
    await page.goto(`/staff/users/${user.id}`)
    await page.getByRole('button', { name: 'Reset two-step verification' }).click()
    await page.getByRole('button', { name: 'Reset it' }).click()
    await page.getByText('Say why: it is written to the audit log.').waitFor()
    await page.getByLabel('Reason').fill('Called back at the number of the contract')
    await page.getByRole('button', { name: 'Reset it' }).click()
    await page.getByText('This user has no two-step verification.').waitFor()
    await page.goto(`/staff/users/${user.id}?tab=history`)
    await page.getByText('Called back at the number of the contract').first().waitFor()
  })
})
