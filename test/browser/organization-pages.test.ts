import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { DAY_MILLISECONDS } from '../../server/platform/time/time-units.ts'
import { inBrowser } from '../support/pages.ts'
import { holdNext, loseNextResponse, routeOnce } from '../support/route-once.ts'
import { until } from '../support/until.ts'
import {
  administrator,
  administratorWithOrganization,
  invite,
  member,
  newMember,
  PASSWORD,
  type TestMember,
} from '../support/users.ts'
import { assertAbsent, focused, heading, impersonate, loaded, openSession, waitForFrames } from '../support/visits.ts'

const STALE_MILLISECONDS = 16 * 60_000

function rowOf(page: Page, text: string) {
  return page.getByRole('row').filter({ hasText: text })
}

async function roles({ client, organization }: TestMember): Promise<Record<string, string>> {
  const { body } = await client.get(`/api/auth/organization/list-members?organizationId=${organization.id}`)
  return Object.fromEntries(
    body.members.map((one: { role: string; user: { email: string } }) => [one.user.email, one.role]),
  )
}

inBrowser('Pages of an organization', (pages) => {
  /** Opens a page of the organization as its member. */
  async function open(page: Page, { email, organization }: TestMember, section = ''): Promise<void> {
    await openSession(page, pages().service, email)
    await page.goto(`/organizations/${organization.slug}${section}`)
  }

  test('The notice of an expiring API key opens it, also behind more API keys than a page has', async () => {
    const { service, newPage } = pages()
    const { database } = service.context
    const founder = await administratorWithOrganization(service)
    const { client, organization } = founder
    const key = { organizationId: organization.id, name: 'Payroll', expiresIn: 7 * 86_400 }
    const { id } = (await client.post('/api/auth/api-key/create', key)).body
    const row = await database.selectFrom('apiKeys').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const endless = Array.from({ length: 51 }, (_, at) => ({
      ...row,
      id: `${id}${at}`,
      name: 'Job',
      keyHash: `${row.keyHash}${at}`,
      createdAt: row.createdAt + 1,
      expiresAt: null,
    }))
    await database.insertInto('apiKeys').values(endless).execute()
    const page = await newPage()
    await open(page, founder)
    await page.getByRole('link', { name: 'Payroll' }).click()
    await page.getByRole('button', { name: 'Delete… Payroll' }).waitFor()
  })

  test('Several members change their role together, with Undo, and a refused one stays selected with the reason', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const [one, two, gone] = [
      await member(service, founder),
      await member(service, founder),
      await member(service, founder),
    ]
    const page = await newPage()
    await open(page, founder, '/members')
    for (const { email } of [one, two, gone]) await rowOf(page, email).getByRole('checkbox').check()
    await founder.client.post('/api/auth/organization/remove-member', {
      memberIdOrEmail: gone.email,
      organizationId: founder.organization.id,
    })
    await page.getByLabel('New role of the selected members').selectOption('Admin')
    const { promise: secondClick, resolve } = Promise.withResolvers<void>()
    await routeOnce(page, '**/update-member-role', async (route) => {
      await secondClick
      await route.continue()
    })
    await page.getByRole('button', { name: 'Change role' }).click()
    // Not `click`, which waits until a button is on.
    await page.getByRole('button', { name: /^Chang/ }).dispatchEvent('click')
    resolve()
    await page.getByText('2 done, 1 refused.').waitFor()
    await page.getByRole('alert').getByText(gone.email).waitFor()
    await page.getByText('The roles of 2 members are changed.').waitFor()
    assert.deepEqual(await roles(founder), { [founder.email]: 'owner', [one.email]: 'admin', [two.email]: 'admin' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('2 done.').waitFor()
    assert.deepEqual(await roles(founder), { [founder.email]: 'owner', [one.email]: 'member', [two.email]: 'member' })
  })

  test('Removing a member says what ends, and deletes API keys after a step-up', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const admin = await member(service, founder, 'admin')
    const { body } = await admin.client.post('/api/auth/api-key/create', {
      name: 'Export',
      organizationId: founder.organization.id,
    })
    const page = await newPage()
    await open(page, founder, '/members')
    await rowOf(page, admin.email).getByRole('button', { name: 'Remove…' }).click()
    await page.getByText('Access to Example Works ends at once').waitFor()
    await page.getByText('Open invitations from a removed member stop working until they are sent again.').waitFor()
    const question = await page.getByRole('group', { name: /^Remove this member/ }).getAttribute('aria-describedby')
    const description = await page.locator(`[id="${question}"]`).textContent()
    assert.match(description ?? '', /^Remove Hilda Hire .* The account stays\.$/s, 'the question without its checkbox')
    await page.getByLabel('Also delete API keys').check()
    service.advance(STALE_MILLISECONDS)
    await page.getByRole('button', { name: 'Remove this member' }).click()
    await page.getByRole('dialog').getByLabel('Your password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('Hilda Hire is removed.').waitFor()
    const { body: verified } = await service.client().post('/api/auth/api-key/verify', { key: body.key })
    assert.equal(verified.valid, false)
  })

  test('A bulk removal that stops names the API keys of the removed members, and can be repeated', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const admins = [await member(service, founder, 'admin'), await member(service, founder, 'admin')]
    for (const { client, email } of admins) {
      const { status } = await client.post('/api/auth/api-key/create', {
        name: `Key of ${email}`,
        organizationId: founder.organization.id,
      })
      assert.equal(status, 200)
    }
    const page = await newPage()
    await open(page, founder, '/members')
    for (const { email } of admins) await rowOf(page, email).getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Remove… the selected members' }).click()
    const named = page.getByRole('list', { name: 'the selected members' }).getByRole('listitem')
    assert.deepEqual(
      (await named.allTextContents()).toSorted(),
      admins.map(({ email }) => `Hilda Hire (${email})`).toSorted(),
    )
    let requestCount = 0
    await page.route('**/remove-member', (route) => {
      requestCount += 1
      return requestCount === 2 ? route.abort('internetdisconnected') : route.fallback()
    })
    const remove = page.getByRole('button', { name: 'Remove the selected members' })
    await remove.click()
    await page.getByText(/is removed\. API keys that they created still work: Key of/).waitFor()
    const failure = page.getByText('No response came.')
    await failure.waitFor()
    assert.equal(await failure.count(), 1, 'the question shows it, and the bar does not repeat it')
    await remove.click()
    await page.getByText('1 done.').waitFor()
    assert.equal(await focused(page), 'Select all on this page')
    assert.deepEqual(await roles(founder), { [founder.email]: 'owner' })
  })

  test('Each question before a bulk removal begins without the deletion of API keys', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const admin = await member(service, founder, 'admin')
    const { body } = await admin.client.post('/api/auth/api-key/create', {
      name: 'Export',
      organizationId: founder.organization.id,
    })
    const page = await newPage()
    await open(page, founder, '/members')
    await rowOf(page, admin.email).getByRole('checkbox').check()
    const ask = page.getByRole('button', { name: 'Remove… the selected members' })
    const deletesKeys = page.getByLabel('Also delete API keys')
    await ask.click()
    await deletesKeys.check()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await ask.click()
    assert.equal(await deletesKeys.isChecked(), false)
    await deletesKeys.check()
    await page.getByRole('button', { name: 'Remove the selected members' }).click()
    await page.getByText('Hilda Hire is removed.').waitFor()
    const { body: verified } = await service.client().post('/api/auth/api-key/verify', { key: body.key })
    assert.equal(verified.valid, false)
  })

  test('An admin can select no owner, because only owners change them', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const [admin, other] = [await member(service, founder, 'admin'), await member(service, founder)]
    const page = await newPage()
    await open(page, { ...admin, organization: founder.organization }, '/members')
    await page.getByRole('button', { name: 'Select all on this page' }).click()
    await page.getByText('1 selected.').waitFor()
    for (const [email, count] of [
      [other.email, 1],
      [founder.email, 0],
      [admin.email, 0],
    ] as const)
      assert.equal(await rowOf(page, email).getByRole('checkbox').count(), count, email)
  })

  test('Another change of selected members is refused while a change of them is being made', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const emails = [(await member(service, founder)).email, (await member(service, founder)).email]
    const page = await newPage()
    await open(page, founder, '/members')
    for (const email of emails) await rowOf(page, email).getByRole('checkbox').check()
    await page.getByLabel('New role of the selected members').selectOption('Admin')
    await page.getByRole('button', { name: 'Remove… the selected members' }).click()
    const held = await holdNext(page, '**/update-member-role')
    await page.getByRole('button', { name: 'Change role' }).click()
    await held.sent
    await page.getByRole('button', { name: 'Remove the selected members' }).click()
    await page.getByRole('alert').getByText('Another change is still being made.').waitFor()
    await page.getByText('0 done, 2 to go…').waitFor()
    held.release()
    await page.getByText('2 done.').waitFor()
    assert.deepEqual(await roles(founder), {
      [founder.email]: 'owner',
      ...Object.fromEntries(emails.map((email) => [email, 'admin'])),
    })
  })

  test('The pages tell an admin why changes of owners, the transfer and the deletion are off', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const admin = await member(service, founder, 'admin')
    const hire = await member(service, founder)
    const page = await newPage()
    await open(page, admin, '/members')
    await rowOf(page, hire.email).waitFor()
    const options = rowOf(page, hire.email).getByRole('combobox').getByRole('option')
    assert.deepEqual(await options.allInnerTexts(), ['Member', 'Admin'])
    await rowOf(page, founder.email).getByText('Only owners change an owner.').waitFor()
    await rowOf(page, admin.email).getByText('This is you.').waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Save the name' }).waitFor()
    const reason = page.getByText('Only owners do this. You are an admin.')
    await reason.first().waitFor()
    assert.equal(await reason.count(), 3)
    assert.ok(await page.getByRole('button', { name: 'Delete… Example Works' }).isDisabled())
    await page.goto(`/organizations/${admin.organization.slug}`)
    await page.getByText('An owner chooses “Owner” in the list of members.').waitFor()
  })

  test('A member sees every page without a refused request, and why the controls are off', async () => {
    const { service, newPage } = pages()
    const hire = await newMember(service)
    const page = await newPage()
    await openSession(page, service, hire.email)
    const refused: string[] = []
    page.on('response', (response) => response.status() >= 400 && refused.push(response.url()))
    const home = `/organizations/${hire.organization.slug}`
    await page.goto(home)
    await page.getByText('At a glance').waitFor()
    for (const section of ['members', 'invitations', 'api-keys', 'settings']) {
      await page.goto(`${home}/${section}`)
      await page.getByText('Only owners and admins do this. You are a member.').first().waitFor()
      // Members must not read it.
      await assertAbsent(page.getByText('What the email says'))
    }
    for (const name of ['Save the name', 'Change the address', 'Save the metadata', 'Delete… Example Works'])
      assert.ok(await page.getByRole('button', { name }).isDisabled(), name)
    assert.ok(await page.getByRole('checkbox', { name: 'Require two-step verification' }).isDisabled())
    await page.getByRole('button', { name: 'Leave… Example Works' }).click()
    await page.getByRole('button', { name: 'Leave this organization' }).click()
    await heading(page, 'Your account')
    await page.getByText('You left Example Works.', { exact: true }).waitFor()
    await service.context.database.updateTable('users').set({ emailVerified: 0 }).where('id', '=', hire.id).execute()
    await page.goto('/organizations/new')
    await page.getByText('Verify your email address first').waitFor()
    assert.ok(await page.getByRole('button', { name: 'Create organization' }).isDisabled())
    assert.deepEqual(refused, [])
  })

  test('An impersonator reads that only owners see the apps, without a way to a page that is refused', async () => {
    const { service, newPage } = pages()
    const { id, organization } = await newMember(service, 'owner')
    const page = await newPage()
    await openSession(page, service, (await administrator(service)).email)
    await impersonate(page, id)
    await page.goto(`/organizations/${organization.slug}/apps`)
    await page.getByText('Only the owners themselves see the apps').waitFor()
    await assertAbsent(page.getByRole('main').getByRole('link'), page.getByText('under Security'))
  })

  test('A member reads that owners connect the apps, and finds the own ones under Security', async () => {
    const { service, newPage } = pages()
    const { email, organization } = await newMember(service)
    const page = await newPage()
    await openSession(page, service, email)
    await page.goto(`/organizations/${organization.slug}/apps`)
    await page.getByText('Owners connect the apps').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Security' }).click()
    await heading(page, 'Security')
    const apps = page.getByRole('heading', { name: 'Apps with access' })
    await until(async () => ((await apps.boundingBox())?.y ?? 720) < 720, 'the apps are visible')
  })

  test('The account no longer asks for the two-step verification of an organization that the user has left', async () => {
    const { service, newPage } = pages()
    const hire = await newMember(service)
    await service.context.database
      .updateTable('organizations')
      .set({ requireTwoFactor: 1 })
      .where('id', '=', hire.organization.id)
      .execute()
    const page = await newPage()
    await open(page, hire, '/settings')
    const banner = page.getByText('Example Works asks for two-step verification.')
    await banner.waitFor()
    await page.getByRole('button', { name: 'Leave… Example Works' }).click()
    await page.getByRole('button', { name: 'Leave this organization' }).click()
    await page.getByText('You left Example Works.').waitFor()
    await assertAbsent(banner)
  })

  test('An admin who leaves reads which of their API keys still work, until the next page', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const admin = await member(service, founder, 'admin')
    const { id: organizationId } = founder.organization
    const { status } = await admin.client.post('/api/auth/api-key/create', { name: 'Nightly export', organizationId })
    assert.equal(status, 200)
    const page = await newPage()
    await open(page, admin, '/settings')
    await page.getByRole('button', { name: 'Leave… Example Works' }).click()
    await page.getByRole('button', { name: 'Leave this organization' }).click()
    const notice = page.getByText('You left Example Works. API keys that you created still work: Nightly export.')
    await notice.waitFor()
    await page.getByRole('link', { name: 'Security', exact: true }).click()
    await heading(page, 'Security')
    await notice.waitFor({ state: 'detached' })
    await page.goBack()
    await heading(page, 'Your account')
    assert.equal(await notice.count(), 0, 'Back does not show it again')
  })

  test('The notice that a user left an organization vanishes with the next submit, and with a reload', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    for (const vanish of [
      async (page: Page) => {
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Saved.').waitFor()
      },
      async (page: Page) => {
        await page.reload()
        await page.getByRole('button', { name: 'Save' }).waitFor()
      },
    ]) {
      const page = await newPage()
      await open(page, { ...(await member(service, founder)), organization: founder.organization }, '/settings')
      await page.getByRole('button', { name: 'Leave… Example Works' }).click()
      await page.getByRole('button', { name: 'Leave this organization' }).click()
      const notice = page.getByText('You left Example Works.', { exact: true })
      await notice.waitFor()
      await vanish(page)
      assert.equal(await notice.count(), 0)
    }
  })

  test('Two tabs with two organizations each change their own, whichever is active', async () => {
    const { service, newPage } = pages()
    const [first, second] = [await administratorWithOrganization(service), await administratorWithOrganization(service)]
    const page = await newPage()
    await open(page, first, '/settings')
    const other = await page.context().newPage()
    await other.goto(`/organizations/${second.organization.slug}/settings`)
    await other.getByLabel('Name', { exact: true }).fill('Second Works')
    await page.getByLabel('Name', { exact: true }).fill('First Works')
    await other.getByRole('button', { name: 'Save the name' }).click()
    await page.getByRole('button', { name: 'Save the name' }).click()
    await other.getByText('Saved.').waitFor()
    await page.getByText('Saved.').waitFor()
    assert.match(await page.title(), /First Works/)
    assert.match(await other.title(), /Second Works/)
    const { body } = await first.client.get('/api/auth/organization/list')
    const names = new Map(body.map((one: { id: string; name: string }) => [one.id, one.name]))
    assert.deepEqual(
      [first, second].map(({ organization }) => names.get(organization.id)),
      ['First Works', 'Second Works'],
    )
  })

  test('A member who is removed while the page is open learns it with the next change', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const [admin, hire] = [await member(service, founder, 'admin'), await member(service, founder)]
    const page = await newPage()
    await open(page, admin, '/members')
    await rowOf(page, hire.email).waitFor()
    await founder.client.post('/api/auth/organization/remove-member', {
      memberIdOrEmail: admin.email,
      organizationId: founder.organization.id,
    })
    await rowOf(page, hire.email).getByRole('combobox').selectOption('admin')
    await page.getByText('No organization of yours has the address').waitFor()
    await heading(page, 'Members')
    await page.getByRole('link', { name: 'Example Works' }).waitFor({ state: 'detached' })
    assert.equal((await roles(founder))[hire.email], 'member')
    await page.goBack()
    await page.goForward()
    await heading(page, 'You are not a member here')
  })

  test('A list of an organization that was deleted elsewhere says so once, with a way on', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const admin = await member(service, founder, 'admin')
    const page = await newPage()
    let overviews = 0
    page.on('request', (request) => {
      if (request.url().includes('/get-overview')) overviews += 1
    })
    await open(page, admin, '')
    await loaded(page, 'Overview')
    await founder.client.post('/api/auth/organization/delete', { organizationId: founder.organization.id })
    await page.getByRole('link', { name: 'Members', exact: true }).click()
    await page.getByText('No organization of yours has the address').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Go to your account' }).waitFor()
    await assertAbsent(page.getByText('You are an admin.'), page.getByRole('link', { name: 'Example Works' }))
    const shown = overviews
    await waitForFrames(page)
    assert.equal(overviews, shown)
  })

  test('An API key is shown once, and rotation leaves the old one a day', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const page = await newPage()
    await open(page, founder, '/api-keys')
    const works = async (key: string) => (await service.client().post('/api/auth/api-key/verify', { key })).body.valid
    const shownKey = () => page.getByLabel('API key', { exact: true }).inputValue()
    const close = page.getByRole('button', { name: 'Close', exact: true })
    await page.getByLabel('Name', { exact: true }).fill('Export')
    await page.getByRole('button', { name: 'Create API key' }).click()
    await heading(page, 'API keys')
    await page.getByText('It is shown only this once').waitFor()
    const old = await shownKey()
    const command = await page.getByLabel('Command that gets a token with it').inputValue()
    assert.ok(command.includes(old) && command.includes(`org=${founder.organization.slug}`))
    assert.ok(await close.isDisabled())
    await page.getByLabel('I have stored the key').check()
    await close.click()
    assert.ok(!(await page.content()).includes(old))

    await page.getByRole('button', { name: 'Manage Export' }).click()
    await page.getByRole('button', { name: 'Rotate… Export' }).click()
    await page.getByRole('button', { name: 'Rotate this API key' }).click()
    await page.getByText('It is shown only this once').waitFor()
    const next = await shownKey()
    assert.notEqual(next, old)
    assert.deepEqual([await works(old), await works(next)], [true, true])
    await page.getByRole('row').filter({ hasText: 'Rotated' }).getByRole('button', { name: 'Close Export' }).waitFor()
    await page.getByText('A new key with this name has replaced it.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Rotate… Export' }).count(), 0)
    service.advance(DAY_MILLISECONDS + 1000)
    assert.deepEqual([await works(old), await works(next)], [false, true])
  })

  test('Settings say what a new address breaks, show the client code, check the metadata and require two steps', async () => {
    const { service, newPage } = pages()
    const [founder, other] = [
      await administratorWithOrganization(service, { region: 'north' }),
      await administratorWithOrganization(service),
    ]
    const page = await newPage()
    await open(page, await member(service, founder, 'owner'), '/settings')
    await page.getByLabel('Client code', { exact: true }).fill(' W-1042 ')
    await page.locator('.token').getByText('"client-code": "W-1042"').waitFor()
    await page.getByRole('button', { name: 'Save the client code' }).click()
    await page.getByText('Saved.').waitFor()
    const metadata = page.getByLabel('An object in JSON')
    assert.deepEqual(JSON.parse(await metadata.inputValue()), { region: 'north', 'client-code': 'W-1042' })
    await metadata.fill('{"region": }')
    await page.getByRole('button', { name: 'Save the metadata' }).click()
    await page.getByText('This is not JSON').waitFor()

    await page.getByRole('checkbox', { name: 'Require two-step verification' }).check()
    await page.getByRole('button', { name: 'Save the requirement' }).click()
    await page.getByText('Saved.').nth(1).waitFor()
    const { status } = await founder.client.get(`/api/token?org=${founder.organization.slug}`)
    assert.equal(status, 403, 'tokens need a second step')

    const slug = page.getByLabel('Short name in addresses')
    await slug.fill('-')
    await page.getByRole('button', { name: 'Change the address' }).click()
    await page.getByText('Use at least two characters.').waitFor()
    await slug.fill(` ${other.organization.slug.toUpperCase()} `)
    await page.getByText('belongs to another organization').waitFor()
    await slug.fill(`${founder.organization.slug}-new`)
    await page.getByText(`programs that ask for tokens with org=${founder.organization.slug}`).waitFor()
    await page.getByText('Save your other changes on this page first').waitFor()
    await page.getByRole('button', { name: 'Change the address' }).click()
    await page.waitForURL(`**/organizations/${founder.organization.slug}-new/settings`)
    await heading(page, 'Settings')
    await page
      .getByRole('list', { name: /^Pages of/ })
      .getByRole('link', { name: 'Overview' })
      .click()
    await page.locator('.facts').getByText('W-1042').waitFor()
  })

  test('A client code of spaces is none', async () => {
    const founder = await administratorWithOrganization(pages().service, { 'client-code': 'W-1' })
    const page = await pages().newPage()
    await open(page, founder, '/settings')
    await page.getByLabel('Client code', { exact: true }).fill('  ')
    await page.locator('.token').getByText('"client-code": null').waitFor()
    await page.getByRole('button', { name: 'Save the client code' }).click()
    await page.getByText('Saved.').waitFor()
    const { body } = await founder.client.get(
      `/api/auth/organization/get-overview?organizationSlug=${founder.organization.slug}`,
    )
    assert.deepEqual([body.clientCode, body.organization.metadata], [null, '{}'])
  })

  test('A client code for which the metadata has no room is refused with the limit of the metadata', async () => {
    const founder = await administratorWithOrganization(pages().service, { note: 'x'.repeat(8_170) })
    const page = await pages().newPage()
    await open(page, founder, '/settings')
    await page.getByLabel('Client code', { exact: true }).fill('W-1042')
    await page.getByRole('button', { name: 'Save the client code' }).click()
    await page.getByText('There is no room for it: the metadata may have at most 8 KiB in all.').waitFor()
    assert.equal(await page.getByText('data.metadata').count(), 0)
  })

  test('The preview of a token has the stored client code with its spaces, and an empty one is none at a glance', async () => {
    const { service, newPage } = pages()
    for (const [code, atAGlance] of [
      [' 4711 ', ' 4711 '],
      ['', 'None'],
    ] as const) {
      const founder = await administratorWithOrganization(service, { 'client-code': code })
      const page = await newPage()
      await open(page, founder, '/settings')
      await page.locator('.token').getByText(`"client-code": "${code}"`).waitFor()
      await page.goto(`/organizations/${founder.organization.slug}`)
      const row = page.locator('.facts').getByText('Client code in tokens').locator('xpath=following-sibling::dd[1]')
      assert.equal(await row.textContent(), atAGlance)
    }
  })

  test('The client code and the metadata keep typed text while the other one is saved', async () => {
    const founder = await administratorWithOrganization(pages().service, { region: 'north' })
    const page = await pages().newPage()
    await open(page, founder, '/settings')
    const [code, metadata] = [page.getByLabel('Client code', { exact: true }), page.getByLabel('An object in JSON')]
    const stored = async () => {
      const { body } = await founder.client.get('/api/auth/organization/list')
      return JSON.parse(body.find(({ id }: { id: string }) => id === founder.organization.id).metadata)
    }
    const saved = (path: string) => page.waitForResponse((response) => response.url().endsWith(path))
    const press = async (name: string) => {
      const updated = saved('/organization/update')
      await page.getByRole('button', { name }).click()
      await updated
    }
    await metadata.fill('{"region": "south"}')
    await code.fill('W-1')
    await press('Save the client code')
    await page.getByText('The stored metadata has changed since you began to type.').waitFor()
    assert.equal(await metadata.inputValue(), '{"region": "south"}')
    assert.deepEqual(await stored(), { region: 'north', 'client-code': 'W-1' })

    await code.fill('W-2')
    await metadata.fill('{"client-code": "W-3"}')
    await press('Save the metadata')
    await page.getByText('The client code has changed since you began to type.').waitFor()
    assert.equal(await code.inputValue(), 'W-2')
    await page.locator('.token').getByText('"client-code": "W-2"').waitFor()

    // Another admin changes the metadata while the page is open.
    const organizationId = founder.organization.id
    const data = { metadata: { plan: 'large' } }
    await founder.client.post('/api/auth/organization/update', { organizationId, data })
    await press('Save the client code')
    await page.getByText('The stored metadata has changed since this page was loaded').waitFor()
    assert.deepEqual(await stored(), { plan: 'large' })
    await until(async () => (await metadata.inputValue()).includes('large'), 'the page shows the stored metadata')
    await press('Save the client code')
    assert.deepEqual(await stored(), { plan: 'large', 'client-code': 'W-2' })
  })

  test('Metadata of almost 8 KiB, which the page shows with more spaces, can be changed', async () => {
    const properties = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`p${at}`, 'x'.repeat(127)]))
    const founder = await administratorWithOrganization(pages().service, properties)
    const page = await pages().newPage()
    await open(page, founder, '/settings')
    const metadata = page.getByLabel('An object in JSON')
    const shown = await metadata.inputValue()
    assert.ok(JSON.stringify(properties).length < 8_192 && shown.length > 8_192)
    await metadata.fill(shown.replace('"p0"', '"p"'))
    await page.getByRole('button', { name: 'Save the metadata' }).click()
    await page.getByText('Saved.').waitFor()
    await metadata.fill(JSON.stringify({ ...properties, more: 'x'.repeat(400) }))
    await page.getByRole('button', { name: 'Save the metadata' }).click()
    await page.getByText('This is longer than 8 KiB.').waitFor()
  })

  test('Metadata that another owner has stored is replaced only after the page has shown it', async () => {
    const founder = await administratorWithOrganization(pages().service, { 'client-code': 'W-1' })
    const page = await pages().newPage()
    await open(page, founder, '/settings')
    const stored = async () => {
      const { body } = await founder.client.get('/api/auth/organization/list')
      return JSON.parse(body.find(({ id }: { id: string }) => id === founder.organization.id).metadata)
    }
    await page.getByLabel('An object in JSON').fill('{"client-code": "W-1", "region": "south"}')
    const data = { metadata: { 'client-code': 'W-2' } }
    await founder.client.post('/api/auth/organization/update', { organizationId: founder.organization.id, data })
    await page.getByRole('button', { name: 'Save the metadata' }).click()
    await page.getByText('The stored metadata has changed since this page was loaded').waitFor()
    await page.getByText('The stored metadata has changed since you began to type.').waitFor()
    await page.locator('.token').getByText('"client-code": "W-2"').waitFor()
    assert.deepEqual(await stored(), { 'client-code': 'W-2' })
    await page.getByRole('button', { name: 'Save the metadata' }).click()
    await page.getByText('Saved.').waitFor()
    assert.deepEqual(await stored(), { 'client-code': 'W-1', region: 'south' })
  })

  test('What is typed into the settings while they are saved stays, and the page goes to the address that was saved', async () => {
    const founder = await administratorWithOrganization(pages().service)
    const page = await pages().newPage()
    await open(page, founder, '/settings')
    for (const [label, button, sent, typed] of [
      ['Name', 'Save the name', 'First Works', 'Second Works'],
      ['Name', 'Save the name', 'Third Works', 'Second Works'],
      ['Client code', 'Save the client code', 'W-1', 'W-2'],
      ['An object in JSON, with the client code', 'Save the metadata', '{"a":1}', '{"a":2}'],
    ] as const) {
      const field = page.getByLabel(label, { exact: true })
      await field.fill(sent)
      const held = await holdNext(page, '**/organization/update')
      await page.getByRole('button', { name: button }).click()
      await held.sent
      await field.fill(typed)
      held.release()
      const form = page.locator('form').filter({ has: page.getByRole('button', { name: button }) })
      await form.getByText('Saved.').waitFor()
      assert.equal(await field.inputValue(), typed)
      assert.equal(await form.locator('xpath=..').getByText('has changed since you began').count(), 0, label)
      await page.getByRole('button', { name: button }).click()
      await form.getByText('Saved.').waitFor()
    }
    const { slug } = founder.organization
    const held = await holdNext(page, '**/organization/update')
    await page.getByLabel('Short name in addresses').fill(`${slug}-new`)
    await page.getByRole('button', { name: 'Change the address' }).click()
    await held.sent
    await page.getByLabel('Short name in addresses').fill(`${slug}-newer`)
    held.release()
    await page.waitForURL(`**/organizations/${slug}-new/settings`)
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Second Works')
  })

  test('A change of the address whose response was lost leads to the new address, and can be sent again', async () => {
    const founder = await administratorWithOrganization(pages().service)
    const { slug } = founder.organization
    const page = await pages().newPage()
    await open(page, founder, '/settings')
    await page.getByLabel('Name', { exact: true }).fill('Typed Works')
    await page.getByLabel('Short name in addresses').fill(`${slug}-new`)
    await loseNextResponse(page, '**/organization/update')
    const change = page.getByRole('button', { name: 'Change the address' })
    await change.click()
    await page.getByRole('alert').getByText('The address may have changed: press the button again.').waitFor()
    await page.getByText('Example Works has another address now.').waitFor()
    const link = page.getByRole('link', { name: 'Go there' })
    assert.equal(await link.getAttribute('href'), `/organizations/${slug}-new`)
    await heading(page, 'Settings')
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Typed Works')
    await change.click()
    await page.waitForURL(`**/organizations/${slug}-new/settings`)
  })

  test('The address of an organization without the user says so, also from the same page of another organization', async () => {
    const founder = await administratorWithOrganization(pages().service)
    const page = await pages().newPage()
    await open(page, founder, '/settings')
    await heading(page, 'Settings')
    await page.evaluate("history.pushState(null, '', '/organizations/of-others/settings')")
    await heading(page, 'You are not a member here')
  })

  for (const [section, label, isEntered] of [
    ['/invitations', 'Email addresses', true],
    ['/api-keys', 'Name', false],
    ['/apps', 'Redirect URIs', false],
    ['/settings', 'Short name in addresses', false],
  ] as const)
    test(`What is entered at ${section} does not pass to another organization that gets the address of the page`, async () => {
      const { service, newPage } = pages()
      const first = await administratorWithOrganization(service)
      const second = await administratorWithOrganization(service)
      const update = async ({ client, organization: { id } }: TestMember, data: { name?: string; slug: string }) => {
        const { status } = await client.post('/api/auth/organization/update', { organizationId: id, data })
        assert.equal(status, 200)
      }
      const page = await newPage()
      await page.clock.install()
      await open(page, first, section)
      const field = page.getByLabel(label, { exact: true })
      await field.fill('hire@example.com')
      if (isEntered) await field.press('Enter')
      await update(first, { slug: `${first.organization.slug}-former` })
      await update(second, { name: 'Other Works', slug: first.organization.slug })
      await page.clock.fastForward(60_000)
      await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))')
      await page.getByRole('main').getByText('Other Works').first().waitFor()
      assert.equal(await page.getByRole('main').getByText('hire@example.com').count(), 0)
      assert.doesNotMatch(await field.inputValue(), /hire/)
    })

  test('Cancel and Escape do not hide a deletion that is sent, and its refusal is shown', async () => {
    const founder = await administratorWithOrganization(pages().service)
    const page = await pages().newPage()
    await open(page, founder, '/settings')
    const sent = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    await routeOnce(page, '**/organization/delete', async (route) => {
      sent.resolve()
      await released.promise
      await route.fulfill({ status: 409, json: { code: 'CONFLICT', message: 'Another change was first.' } })
    })
    await page.getByRole('button', { name: 'Delete… Example Works' }).click()
    await page.getByLabel(`Type ${founder.organization.slug} to go on`).fill(founder.organization.slug)
    await page.getByRole('button', { name: 'Delete this organization' }).click()
    await sent.promise
    const cancel = page.getByRole('button', { name: 'Cancel' })
    assert.equal(await cancel.getAttribute('aria-disabled'), 'true')
    await cancel.click({ force: true })
    await page.keyboard.press('Escape')
    released.resolve()
    await page.getByText('Another change was first.').waitFor()
    await cancel.click()
    await page.getByRole('button', { name: 'Delete… Example Works' }).waitFor()
  })

  test('A name or an address that the service refuses is marked in the settings and takes the focus', async () => {
    const { service, newPage } = pages()
    const [founder, other] = [
      await administratorWithOrganization(service),
      await administratorWithOrganization(service),
    ]
    const page = await newPage()
    await open(page, founder, '/settings')
    for (const [label, value, button] of [
      ['Name', 'Win at prize.example.com', 'Save the name'],
      ['Short name in addresses', other.organization.slug, 'Change the address'],
    ] as const) {
      const field = page.getByLabel(label, { exact: true })
      await field.fill(value)
      await page.getByRole('button', { name: button }).click()
      await field.and(page.locator('[aria-invalid=true]:focus')).waitFor()
      assert.equal(await page.getByText('data.').count(), 0, 'the name of the field in the request')
      assert.equal(await page.getByRole('alert').count(), 0)
    }
  })

  test('The bar for several members is there before the members have loaded, unless the caller can change none', async () => {
    const { service, newPage } = pages()
    const [alone, founder] = [
      await administratorWithOrganization(service),
      await administratorWithOrganization(service),
    ]
    const admin = await member(service, founder, 'admin')
    for (const [caller, barCount] of [
      [alone, 0],
      [founder, 1],
      [admin, 0],
    ] as const) {
      const page = await newPage()
      const response = Promise.withResolvers<void>()
      await page.route('**/list-members*', (route) => response.promise.then(() => route.fallback()))
      await open(page, caller, '/members')
      const table = page.getByRole('table', { name: 'Members' })
      const top = async () => (await table.boundingBox())?.y
      await table.and(page.locator('[aria-busy=true]')).waitFor()
      const before = await top()
      const bar = page.getByRole('button', { name: 'Select all on this page' })
      assert.equal(await bar.count(), barCount)
      response.resolve()
      await table.and(page.locator('[aria-busy=false]')).waitFor()
      assert.equal(await top(), before)
      assert.equal(await bar.count(), barCount)
    }
  })

  for (const things of ['members', 'invitations'])
    test(`"Select all on this page" is off while the ${things} load`, async () => {
      const { service, newPage } = pages()
      const founder = await administratorWithOrganization(service)
      await member(service, founder)
      await invite(service, founder)
      const page = await newPage()
      const response = Promise.withResolvers<void>()
      await page.route(`**/list-${things}*`, (route) => response.promise.then(() => route.fallback()))
      await open(page, founder, `/${things}`)
      const selectAll = page.getByRole('button', { name: 'Select all on this page' })
      await selectAll.waitFor()
      assert.equal(await selectAll.isDisabled(), true)
      response.resolve()
      await selectAll.click()
      await page.getByText('1 selected.').waitFor()
    })

  test('A transfer makes the other member an owner and the caller an admin', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const hire = await member(service, founder)
    const page = await newPage()
    await open(page, founder, '/settings')
    await page.getByText('You are the only owner.').waitFor()
    const transfer = page.getByRole('button', { name: 'Transfer… the ownership to' })
    await transfer.waitFor()
    const owner = await member(service, founder, 'owner')
    await page.reload()
    await page.getByText('Only an owner can reverse it.').waitFor()
    await transfer.waitFor()
    assert.equal(await transfer.count(), 1, 'not to owners')
    await page.getByLabel('Find the member').fill(owner.email)
    await page.getByText('No admin or member matches.').waitFor()
    await page.getByLabel('Find the member').fill(hire.email)
    await page.getByRole('button', { name: 'Transfer… the ownership to Hilda Hire' }).click()
    await page.getByRole('button', { name: 'Transfer the ownership' }).click()
    await page.getByText('Only owners do this. You are an admin.').first().waitFor()
    const notice = page.getByRole('region', { name: 'Transfer the ownership' }).getByRole('status')
    assert.equal(
      await notice.textContent(),
      'Hilda Hire is an owner now, and you are an admin. Both of you get an email.',
    )
    assert.deepEqual(await roles(founder), {
      [founder.email]: 'admin',
      [hire.email]: 'owner',
      [owner.email]: 'owner',
    })
  })

  test('The address of a new organization follows its name until it is typed, and a taken one is reported immediately', async () => {
    const { service, newPage } = pages()
    const [founder, hire] = [await administratorWithOrganization(service), await newMember(service)]
    const page = await newPage()
    await openSession(page, service, hire.email)
    await page.goto('/organizations/new')
    await page.getByLabel('Name', { exact: true }).fill(`Müller & Söhne ${founder.organization.slug}`)
    const slug = page.getByLabel('Short name in addresses')
    const suggested = `muller-sohne-${founder.organization.slug}`
    assert.equal(await slug.inputValue(), suggested)
    await page.getByText(`${suggested} is free.`).waitFor()
    await slug.fill('admin')
    await page.getByText('“admin” is reserved.').waitFor()
    await slug.fill(founder.organization.slug)
    await page.getByText('belongs to another organization').waitFor()
    await slug.fill(` ${'Long-'.repeat(9)}tail `)
    assert.equal(await slug.inputValue(), `${'long-'.repeat(9)}tail`, 'no pasted text is cut')
    await slug.press('Home')
    await slug.pressSequentially(' So ')
    assert.equal(await slug.inputValue(), `so ${'long-'.repeat(9)}tail`, 'the caret stays')
    await page.getByRole('button', { name: 'Create organization' }).click()
    await page.getByText('Use at most 48 characters.').waitFor()
    await slug.fill(suggested)
    const held = await holdNext(page, '**/organization/create')
    await page.getByRole('button', { name: 'Create organization' }).click()
    await held.sent
    await slug.fill(`${suggested}-2`)
    held.release()
    await page.getByText('First steps: 0 of 3 done').waitFor()
    assert.ok(page.url().endsWith(`/organizations/${suggested}`))
  })

  test('A new organization whose response was lost is linked, also when the form is sent again', async () => {
    const { service, newPage } = pages()
    const { email, organization } = await newMember(service)
    const slug = `${organization.slug}-new`
    const page = await newPage()
    await openSession(page, service, email)
    await page.goto('/organizations/new')
    await page.getByLabel('Name', { exact: true }).fill('New Works')
    await page.getByLabel('Short name in addresses').fill(slug)
    await loseNextResponse(page, '**/organization/create')
    const create = page.getByRole('button', { name: 'Create organization' })
    await create.click()
    const notice = page.getByText('Your organization New Works has this short name.')
    await notice.waitFor()
    await create.click()
    await page.getByText('This short name is taken.').waitFor()
    assert.equal(await page.getByText(/another organization/i).count(), 0)
    await notice.getByRole('link', { name: 'New Works' }).click()
    await page.waitForURL(`**/organizations/${slug}`)
    await page.getByText('First steps: 0 of 3 done').waitFor()
  })
})
