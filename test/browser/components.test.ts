import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertMembers } from '../support/many-members.ts'
import { newUsers } from '../support/many-users.ts'
import { insertTestClient } from '../support/oauth-clients.ts'
import { inBrowser } from '../support/pages.ts'
import { showRecoveryCodes } from '../support/recovery-codes.ts'
import { holdNext, routeOnce } from '../support/route-once.ts'
import { createTestUser } from '../support/staff.ts'
import { administrator, administratorWithOrganization, invite, member, newEmail, newMember } from '../support/users.ts'
import { focused, heading, openSession } from '../support/visits.ts'

inBrowser('Shared components', (pages) => {
  test('A table has its search, order and page in the address, and says which column sorts it', async () => {
    const { service, newPage } = pages()
    const admin = await administrator(service)
    const emails = [`aa-${newEmail()}`, `bb-${newEmail()}`]
    for (const email of emails) await createTestUser(admin, { email, name: 'Paula Table' })
    const page = await newPage()
    await openSession(page, service, admin.email)
    await page.goto('/staff/users')
    await page.getByLabel('Name, email address or id').fill('-hire-')
    await page.getByText('1 to 2 of 2').waitFor()
    await page.getByRole('button', { name: 'Email address' }).click()
    const order = () => page.getByRole('row').filter({ hasText: '-hire-' }).allInnerTexts()
    const sorted = page.getByRole('columnheader', { name: 'Email address' })
    await sorted.and(page.locator('[aria-sort=ascending]')).waitFor()
    await page.getByRole('row').nth(1).filter({ hasText: 'aa-' }).waitFor()
    await page.getByRole('button', { name: 'Email address' }).click()
    await sorted.and(page.locator('[aria-sort=descending]')).waitFor()
    await page.getByRole('row').nth(1).filter({ hasText: 'bb-' }).waitFor()
    const shown = await order()
    await page.reload()
    await page.getByText('1 to 2 of 2').waitFor()
    assert.deepEqual(await order(), shown)
    await page.getByLabel('Name, email address or id').fill('no such address')
    await page.getByText('No such user').waitFor()
    await newUsers(service, 50)
    await page.goto('/staff/users?offset=50')
    await page.getByText(/^51 to /).waitFor()
    await page.getByRole('button', { name: 'Previous' }).press('Enter')
    await page.waitForURL('**/staff/users')
    await page.getByText(/^1 to /).waitFor()
    assert.equal(await focused(page), 'Previous', 'the first page takes no focus away')
  })

  test('A table says that it is empty, or that there are no more rows, only after its rows have loaded', async () => {
    const { service, newPage } = pages()
    const page = await newPage()
    await openSession(page, service, (await administrator(service)).email)
    let release = () => {}
    const hold = () =>
      page.route('**/admin/list-users*', async (route) => {
        await new Promise<void>((resolve) => {
          release = resolve
        })
        await route.fallback()
      })
    await hold()
    const asked = () => page.waitForRequest('**/admin/list-users*')
    await Promise.all([asked(), page.goto('/staff/users?search=nobody')])
    await page.getByRole('table', { name: 'Users' }).and(page.locator('[aria-busy=true]')).waitFor()
    assert.equal(await page.getByText('No more rows').count(), 0)
    release()
    await page.getByText('No such user').waitFor()
    await Promise.all([asked(), page.getByLabel('Name, email address or id').fill('admin@')])
    await page.getByRole('table', { name: 'Users' }).and(page.locator('[aria-busy=true]')).waitFor()
    assert.equal(await page.getByText('No such user').count(), 0)
    release()
    await page.getByRole('cell', { name: 'admin@example.com', exact: true }).waitFor()
  })

  test('A page behind the last row says so, and Previous leads to the last page', async () => {
    const { service, newPage } = pages()
    const { email, organization } = await administratorWithOrganization(service)
    await insertMembers(service, organization.id, 60)
    const page = await newPage()
    await openSession(page, service, email)
    await page.goto(`/organizations/${organization.slug}/members?offset=5000`)
    await page.getByText('No more rows after 61').waitFor()
    await page.getByRole('button', { name: 'Previous' }).click()
    await page.getByText('51 to 61 of 61').waitFor()
  })

  test('A table of cards has a select for both directions of each order, and a wide table has none', async () => {
    const { service, newPage } = pages()
    const { email, organization } = await administratorWithOrganization(service)
    const page = await newPage({ viewport: { width: 320, height: 640 } })
    await openSession(page, service, email)
    await page.goto(`/organizations/${organization.slug}/members`)
    const field = page.getByLabel('Sort by')
    const shown = () => field.locator('option:checked').textContent()
    assert.equal(await shown(), 'Joined, ascending')
    await field.selectOption('Name, descending')
    await page.waitForURL('**/members?sort=name&direction=desc')
    await page.reload()
    await field.waitFor()
    assert.equal(await shown(), 'Name, descending')
    await page.setViewportSize({ width: 1280, height: 640 })
    await page.getByRole('columnheader', { name: 'Name' }).and(page.locator('[aria-sort=descending]')).waitFor()
    assert.equal(await field.isVisible(), false)
  })

  test('Selected rows are signed out together after a question', async () => {
    const { service, newPage } = pages()
    const admin = await administrator(service)
    const first = await newMember(service)
    const page = await newPage()
    await openSession(page, service, admin.email)
    await page.goto(`/staff/users?search=${encodeURIComponent(first.email)}`)
    await page.getByLabel(`Select ${first.email}`).check()
    await page.getByText('1 selected.').waitFor()
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('button', { name: 'Sign them out' }).click()
    await page.getByText('1 done.').waitFor()
    assert.equal((await first.client.get('/api/auth/get-session')).body, null)
  })

  test('A role in a row changes and can be undone, and a refusal stays visible', async () => {
    const { service, newPage } = pages()
    const first = await administratorWithOrganization(service)
    const { email } = await member(service, first)
    const { slug } = first.organization
    const page = await newPage()
    await openSession(page, service, first.email)
    await page.goto(`/organizations/${slug}/members`)
    const row = page.getByRole('row').filter({ hasText: email })
    const roleOf = async () => {
      const { body } = await first.client.get(`/api/auth/organization/list-members?organizationSlug=${slug}`)
      return body.members.find(({ user }: { user: { email: string } }) => user.email === email)?.role
    }
    await row.getByRole('combobox').selectOption('admin')
    await row.getByRole('button', { name: 'Undo' }).waitFor()
    assert.equal(await roleOf(), 'admin')
    await row.getByRole('button', { name: 'Undo' }).click()
    await row.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
    assert.equal(await row.getByRole('combobox').and(page.locator(':focus')).count(), 1)
    await row.locator('select[aria-busy=false]').waitFor()
    assert.equal(await roleOf(), 'member')

    const own = page.getByRole('row').filter({ hasText: first.email })
    assert.ok(await own.getByRole('combobox').isDisabled())
    await own.getByText('You are the only owner').waitFor()
    await first.client.post('/api/auth/organization/remove-member', { memberIdOrEmail: email })
    await row.getByRole('combobox').selectOption('admin')
    await row.getByRole('alert').waitFor()
    assert.equal(await row.getByRole('combobox').inputValue(), 'member')
  })

  test('A role that the arrow keys pass is not sent, only the one at which the user stays or leaves the select', async () => {
    const { page, role, sent } = await memberRole()
    await role.focus()
    await page.clock.pauseAt(Date.now() + 60_000)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    assert.equal(await role.inputValue(), 'owner')
    await page.clock.runFor(499)
    assert.deepEqual(sent, [])
    await Promise.all([page.waitForRequest('**/update-member-role'), page.clock.runFor(1)])
    await page.clock.resume()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await role.focus()
    await page.clock.pauseAt(Date.now() + 600_000)
    await page.keyboard.press('ArrowUp')
    await Promise.all([page.waitForRequest('**/update-member-role'), page.keyboard.press('Tab')])
    assert.deepEqual(sent, ['owner', 'admin'])
  })

  test('A role that is chosen during a request is sent after it, also if the user leaves the page', async () => {
    const { page, role, sent } = await memberRole()
    const response = Promise.withResolvers<void>()
    await routeOnce(page, '**/update-member-role', async (route) => {
      await response.promise
      await route.continue()
    })
    await Promise.all([page.waitForRequest('**/update-member-role'), role.selectOption('owner')])
    await role.focus()
    await role.selectOption('admin')
    await role.blur()
    await role.selectOption('member')
    assert.equal(await role.inputValue(), 'member')
    assert.deepEqual(sent, ['owner'])
    await Promise.all([page.waitForRequest('**/update-member-role'), response.resolve()])
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    assert.deepEqual(sent, ['owner', 'member'])
    await page.clock.pauseAt(Date.now() + 60_000)
    await role.selectOption('admin')
    await Promise.all([page.waitForRequest('**/update-member-role'), page.goBack()])
    assert.deepEqual(sent, ['owner', 'member', 'admin'])
  })

  async function memberRole() {
    const { service, newPage } = pages()
    const first = await administratorWithOrganization(service)
    const { email } = await member(service, first)
    const page = await newPage()
    await openSession(page, service, first.email)
    await page.clock.install()
    await page.goto(`/organizations/${first.organization.slug}`)
    await page.getByRole('link', { name: 'Members', exact: true }).first().click()
    const role = page.getByRole('row').filter({ hasText: email }).getByRole('combobox')
    await role.waitFor()
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/update-member-role')) sent.push(request.postDataJSON().role)
    })
    return { page, role, sent }
  }

  test('A destructive action asks in place, wants the name typed, and can be cancelled', async () => {
    const { service, newPage } = pages()
    const { email, client, organization } = await administratorWithOrganization(service)
    const page = await newPage()
    await openSession(page, service, email)
    // The page shows one space, and an accent that is part of its letter.
    await client.post('/api/auth/api-key/create', { name: 'Nightly  e\u0301xport', organizationId: organization.id })
    await page.goto(`/organizations/${organization.slug}/api-keys`)
    await page.getByRole('button', { name: 'Manage Nightly' }).click()
    await page.getByRole('button', { name: 'Delete… Nightly' }).click()
    await page.getByLabel(/^Type Nightly/).fill('Nightly \u00e9xport')
    await page.getByRole('button', { name: 'Delete this API key' }).click()
    await page.getByText('No API keys', { exact: true }).waitFor()

    await page.goto(`/organizations/${organization.slug}/settings`)
    const opener = page.getByRole('button', { name: 'Delete… Example Works' })
    await opener.click()
    assert.equal(await focused(page), 'typedName')
    await page.getByLabel(/^Type org-/).dispatchEvent('keydown', { key: 'Escape', isComposing: true })
    assert.equal(await focused(page), 'typedName', 'the key belongs to the input method')
    await page.keyboard.press('Escape')
    assert.match(await focused(page), /^Delete…/)
    await opener.click()
    await page.getByLabel(/^Type org-/).fill('another name')
    await page.getByRole('button', { name: 'Delete this organization' }).click()
    await page.getByText(`Type ${organization.slug}, exactly so.`).waitFor()
    await page.getByLabel(/^Type org-/).fill(organization.slug)
    await page.getByRole('button', { name: 'Delete this organization' }).click()
    await heading(page, 'Your account')
    const { body } = await client.get('/api/auth/organization/list')
    assert.ok(!body.some(({ id }: { id: string }) => id === organization.id))
  })

  test('A field is required only if it must be filled, and telephones capitalize no codes and addresses', async () => {
    const { service, newPage } = pages()
    const { email, organization } = await administratorWithOrganization(service)
    const client = await insertTestClient(service, {}, { organizationId: organization.id })
    const userId = await createTestUser(await administrator(service), {})
    const home = `/organizations/${organization.slug}`
    const page = await newPage()
    await openSession(page, service, email)
    const ask = (button: string) => page.getByRole('button', { name: button }).first().click()
    const states = async (label: string | RegExp) => {
      const field = page.getByLabel(label, { exact: true })
      return [await field.getAttribute('required'), await field.getAttribute('autocapitalize')]
    }

    await page.goto(`${home}/settings`)
    await ask('Delete…')
    assert.deepEqual(await states('Client code'), [null, 'none'])
    assert.deepEqual(await states('Name'), ['', 'words'])
    assert.deepEqual(await states(/^Type org-/), ['', 'none'])
    await page.goto(`${home}/api-keys`)
    assert.deepEqual(await states('Name'), ['', 'none'])
    await page.goto(`${home}/apps?open=${client.id}`)
    assert.deepEqual(await states('Address of the app (optional)'), [null, 'none'])
    assert.deepEqual(await states('Back-channel log-out address (optional)'), [null, 'none'])
    const long = `https://app.example.com/${'x'.repeat(300)}`
    const address = page.getByLabel('Back-channel log-out address (optional)')
    await address.focus()
    await page.keyboard.insertText(long)
    assert.equal(await address.inputValue(), long, 'a field cuts off nothing')
    await page.goto('/staff/organizations')
    await ask('Create an organization…')
    assert.deepEqual(await states('Short name in addresses'), ['', 'none'])
    await page.goto(`/staff/users/${userId}`)
    await ask('Ban…')
    assert.deepEqual(await states('Reason'), ['', 'sentences'])
  })

  test('A screen reader announces a success: its notice changes a region that was there before, without a gap', async () => {
    const { service, newPage } = pages()
    const page = await newPage()
    await openSession(page, service, (await newMember(service)).email)
    await page.goto('/account')
    const form = page
      .getByRole('main')
      .locator('form')
      .filter({ has: page.getByLabel('Your name') })
    const region = form.getByRole('status')
    await region.evaluate((element) => element.setAttribute('data-seen', ''))
    const [formBox, fieldBox] = [await form.boundingBox(), await form.locator('.field').first().boundingBox()]
    assert.equal(fieldBox?.y, formBox?.y)
    await form.getByRole('button', { name: 'Save' }).click()
    await region.getByText('Saved.').waitFor()
    assert.equal(await region.getAttribute('data-seen'), '')
  })

  test('The explanation of a choice is not part of its label', async () => {
    const { service, newPage } = pages()
    const { email, organization } = await administratorWithOrganization(service)
    const page = await newPage()
    await openSession(page, service, email)
    for (const [section, name] of [
      ['invitations', 'Admin'],
      ['api-keys', 'Admin'],
      ['apps', 'Machine'],
    ] as const) {
      await page.goto(`/organizations/${organization.slug}/${section}`)
      const choice = page.getByRole('radio', { name, exact: true })
      await choice.check()
      assert.ok(await choice.isChecked(), section)
    }
  })

  test('Tabs are in the address, and Copy writes to the clipboard', async () => {
    const { service, newPage } = pages()
    const { email, id } = await administrator(service)
    const page = await newPage({ permissions: ['clipboard-read', 'clipboard-write'] })
    await openSession(page, service, email)
    await page.goto(`/staff/users/${id}`)
    await page.getByRole('button', { name: 'Copy Id' }).click()
    await page.getByText('Copied').waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), id)
    await page.getByRole('link', { name: 'Sessions' }).click()
    await page.getByRole('columnheader', { name: 'Network' }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'Sessions' }).and(page.locator('[aria-current=page]')).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Copy Id' }).waitFor()
  })

  test('A refused clipboard says so where the user copies, and the value is selected', async () => {
    const { service, newPage } = pages()
    const { email, organization } = await newMember(service)
    // Headless Chromium asks no user: without the permission it refuses.
    const page = await newPage()
    await openSession(page, service, email)
    await page.goto(`/organizations/${organization.slug}/settings`)
    await page.getByRole('button', { name: 'Copy Id of the organization' }).click()
    await page.getByRole('alert').getByText('It is selected').waitFor()
    assert.equal(await page.evaluate('String(document.getSelection())'), organization.id)
    await page.goto('/account/security#two-step')
    await showRecoveryCodes(service, page)
    await page.getByRole('button', { name: 'Copy the recovery codes' }).click()
    await page.getByRole('alert').getByText('or download them').waitFor()
    await page.getByLabel('I have stored them').check()
    await page.goto('/api/auth/reference#get-api-auth-ok')
    await page.locator('details[open]').getByRole('button', { name: 'Copy for curl' }).click()
    await page.getByRole('alert').getByText('Select the line and copy it.').waitFor()
  })

  test('A pasted list becomes chips, wrong ones are marked, and refused addresses are named', async () => {
    const { service, newPage } = pages()
    const first = await administratorWithOrganization(service)
    const fresh = newEmail()
    const page = await newPage({ permissions: ['clipboard-read', 'clipboard-write'] })
    await openSession(page, service, first.email)
    await page.goto(`/organizations/${first.organization.slug}/invitations`)
    await page.getByText('No invitations yet').waitFor()
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(`${fresh}; wrong@\n${first.email}`)})`)
    const field = page.getByRole('textbox', { name: 'Email addresses' })
    await field.fill('replaced@example.com')
    for (const composing of [{ isComposing: true }, { keyCode: 229 }])
      await field.dispatchEvent('keydown', { key: 'Enter', ...composing })
    assert.equal(await field.inputValue(), 'replaced@example.com', 'the key belongs to the input method')
    await field.selectText()
    await page.keyboard.press('Control+v')
    await page.getByRole('button', { name: `Remove ${fresh}` }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Remove replaced@example.com' }).count(), 0)
    await page.getByRole('button', { name: 'Send invitations' }).click()
    await page.getByText('Correct or remove wrong@.').waitFor()
    await page.getByRole('button', { name: 'Remove wrong@' }).click()
    await page.getByText('Correct or remove').waitFor({ state: 'detached' })
    assert.equal(await field.and(page.locator(':focus')).count(), 1)
    await page.getByRole('button', { name: 'Send invitations' }).click()
    await page.getByText('Invitations sent: 1.').waitFor()
    await page.getByLabel(`Select ${fresh}`).check()
    await page.getByRole('button', { name: 'Cancel… the selected invitations' }).click()
    await page.getByText('Cancel this invitation? Its link stops working.').waitFor()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByRole('alert').getByText(first.email).waitFor()
    await page.getByRole('cell', { name: fresh, exact: true }).waitFor()
    assert.equal((await service.emails(fresh)).length, 1)
  })

  test('A pasted list of thousands shows the first chips only, and can be removed at once', async () => {
    const { service, newPage } = pages()
    const first = await administratorWithOrganization(service)
    const page = await newPage({ permissions: ['clipboard-read', 'clipboard-write'] })
    await openSession(page, service, first.email)
    await page.goto(`/organizations/${first.organization.slug}/invitations`)
    await page.getByText('No invitations yet').waitFor()
    const field = page.getByRole('textbox', { name: 'Email addresses' })
    const paste = async (length: number) => {
      const pasted = Array.from({ length }, (_, index) => `hire-${index}@example.com`).join('\n')
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(pasted)})`)
      await field.focus()
      await page.keyboard.press('Control+v')
      await page.getByText(`${length.toLocaleString('en')} entered.`).waitFor()
    }
    await paste(5_000)
    assert.equal(await page.locator('.chip').count(), 500)
    await page.getByRole('button', { name: 'Send invitations' }).click()
    await page.getByText('These are 5,000. Send at most 500 at once.').waitFor()
    const removeAll = page.getByRole('button', { name: 'Remove all' })
    await field.fill('later@')
    await removeAll.click()
    await page.locator('.chip').first().waitFor({ state: 'detached' })
    assert.equal(await field.and(page.locator(':focus')).count(), 1)
    assert.equal(await field.inputValue(), 'later@')
    await field.clear()
    await paste(501)
    await removeAll.waitFor()
    await page.keyboard.press('Backspace')
    await removeAll.waitFor({ state: 'detached' })
    assert.equal(await page.locator('.chip').count(), 500)
  })

  test('A field on a telephone has text of at least 16 pixels, so that Safari does not zoom in on it', async () => {
    const { service, newPage } = pages()
    const first = await administratorWithOrganization(service)
    await member(service, first)
    const page = await newPage({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 800 } })
    await openSession(page, service, first.email)
    const home = `/organizations/${first.organization.slug}`
    const sizes = `[...document.querySelectorAll('.input')].map((field) => parseFloat(getComputedStyle(field).fontSize))`
    const assertLarge = async () => {
      const found = await page.evaluate<number[]>(sizes)
      assert.deepEqual([found.length > 1, Math.min(...found)], [true, 16], page.url())
    }
    await page.goto(`${home}/members`)
    await page.getByRole('button', { name: 'Select all on this page' }).click()
    await page.getByLabel('Role of Hilda Hire').waitFor()
    await assertLarge()
    await page.goto(`${home}/settings`)
    await page.getByLabel('An object in JSON').waitFor()
    await assertLarge()
  })

  test('Numbers are English, whatever the browser prefers, and agree with their nouns', async () => {
    const { service, newPage } = pages()
    const { email, organization } = await administratorWithOrganization(service)
    await insertMembers(service, organization.id, 1_234)
    const page = await newPage({ locale: 'ar-EG' })
    await openSession(page, service, email)
    for (const [path, text] of [
      [`/organizations/${organization.slug}`, '1,235 (1 owner, 1,234 members)'],
      [`/organizations/${organization.slug}/members`, '1 to 50 of 1,235'],
      ['/staff', '0 invitations accepted and 0 sent'],
      ['/staff/organizations', '1,235'],
      [`/staff/organizations/${organization.id}`, '1,235, of which 1 owner'],
    ] as const) {
      await page.goto(path)
      await page.getByText(text).first().waitFor()
      assert.doesNotMatch((await page.getByRole('main').textContent()) ?? '', /[^\P{Nd}0-9]/u, path)
    }
    await page.goto(`/organizations/${organization.slug}/settings`)
    await page.getByRole('button', { name: /^Delete…/ }).click()
    await page.getByText('with 1,235 memberships, 0 open invitations, 0 API keys, and 0 apps').waitFor()
    await page.goto(`/staff/audit?id=${organization.id}`)
    await page.getByRole('button', { name: 'Export as JSON lines' }).click()
    await page.getByText('1 event saved.').waitFor()
  })

  test('"Select all on this page" is off while the page shows the rows of another filter or search', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    await member(service, founder)
    await invite(service, founder)
    const page = await newPage()
    await openSession(page, service, founder.email)
    const selectAll = page.getByRole('button', { name: 'Select all on this page' })
    const home = `/organizations/${founder.organization.slug}`
    for (const [path, list, change] of [
      [
        `${home}/members`,
        '**/list-members*filterValue=member*',
        () => page.getByLabel('Role', { exact: true }).selectOption('member'),
      ],
      [
        `${home}/invitations`,
        '**/list-invitations*status=pending*',
        () => page.getByLabel('State').selectOption('pending'),
      ],
      [
        '/staff/users',
        '**/list-users*sortBy=email*',
        () => page.getByRole('button', { name: 'Email address' }).click(),
      ],
    ] as const) {
      await page.goto(path)
      await selectAll.and(page.locator('[aria-disabled=false]')).waitFor()
      const held = await holdNext(page, list)
      await change()
      await held.sent
      assert.equal(await selectAll.isDisabled(), true, path)
      held.release()
      await selectAll.click()
      await page.getByText(/^[1-9]\d* selected\.$/).waitFor()
    }
  })

  test('A plot has its numbers by the arrow keys, as a table and as CSV', async () => {
    const { service, newPage } = pages()
    const page = await newPage()
    await openSession(page, service, (await administrator(service)).email)
    await page.goto('/staff')
    const plot = page.getByRole('figure').filter({ hasText: 'sign-ins without a passkey' })
    const time = plot.getByRole('slider')
    await time.focus()
    const newest = await time.getAttribute('aria-valuetext')
    assert.equal(await plot.locator('output').getAttribute('for'), await time.getAttribute('id'))
    await page.keyboard.press('ArrowLeft')
    await page.waitForFunction(`document.querySelector('[type=range]').ariaValueText !== ${JSON.stringify(newest)}`)
    await plot.getByText('Show as a table').click()
    await plot.getByRole('columnheader', { name: 'sign-ins without a passkey' }).waitFor()
    const csv = await plot.getByRole('link', { name: 'Download as CSV' }).getAttribute('href')
    assert.match(
      decodeURIComponent(csv ?? ''),
      /^data:text\/csv;charset=utf-8,"time","sign-ins without a passkey","with a passkey"/,
    )
  })
})
