import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { OPERATOR } from '../../server/core/audit/actor.ts'
import { recordEvents } from '../../server/core/audit/record-event.ts'
import { rotateSigningKey } from '../../server/features/tokens/rotate-signing-key.ts'
import { parseSmtpUrl } from '../../server/platform/config/smtp-server.ts'
import { createDelivery } from '../../server/platform/mail/delivery.ts'
import { addCounts, hourOf } from '../../server/platform/statistics/store.ts'
import { DAY_MILLISECONDS } from '../../server/platform/time/time-units.ts'
import { measureLayoutShift } from '../support/layout-shift.ts'
import { insertTestConsent } from '../support/oauth-clients.ts'
import { inBrowser } from '../support/pages.ts'
import { insertTestPasskeys } from '../support/passkeys.ts'
import { randomLetters } from '../support/random-letters.ts'
import { holdNext, routeForNow } from '../support/route-once.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'
import { createTestUser, userWithRole } from '../support/staff.ts'
import {
  administrator,
  administratorWithOrganization,
  invite,
  member,
  newEmail,
  newMember,
  signUp,
} from '../support/users.ts'
import { assertAbsent, heading, openAccount, openSession, settled, waitForFrames } from '../support/visits.ts'

inBrowser('Staff pages', (pages) => {
  async function asSupport(): Promise<Page> {
    const { service, newPage } = pages()
    const page = await newPage()
    await openSession(page, service, (await userWithRole(service, await administrator(service), 'support')).email)
    return page
  }

  async function asAdministrator(): Promise<Page> {
    const page = await pages().newPage()
    await openSession(page, pages().service, (await administrator(pages().service)).email)
    return page
  }

  /** Invites an email address whose mail server refuses the email. */
  async function failedInvitation(): Promise<string> {
    const { service } = pages()
    const sink = await startSmtpSink()
    const delivery = createDelivery(service.context, parseSmtpUrl(sink.url))
    await delivery.deliverDue()
    sink.refuseWith(550)
    const { email } = await invite(service, await administratorWithOrganization(service))
    await delivery.deliverDue()
    await delivery.stop()
    await sink.close()
    return email
  }

  test("Support finds out in two steps why a banned user can't sign in, and lifts the ban", async () => {
    const { service } = pages()
    const admin = await administrator(service)
    const email = newEmail()
    const userId = await createTestUser(admin, { email, name: 'Bruno Banned' })
    await admin.client.post('/api/auth/admin/ban-user', { userId, banReason: 'Spam', banExpiresIn: 86_400 })
    const page = await asSupport()
    await page.goto('/account')
    await page.getByRole('link', { name: 'Users' }).click()
    await page.getByLabel('Name, email address or id').fill(email)
    await page.getByRole('heading', { name: 'Bruno Banned can’t sign in' }).waitFor()
    const sentence = page.getByText(/banned by Ada Admin since .* until .*Spam/)
    await sentence.waitFor()
    assert.doesNotMatch((await sentence.textContent()) ?? '', /UTC/, 'the times are those of the reader')
    await page.getByRole('link', { name: 'Open Bruno Banned' }).click()
    await heading(page, 'Bruno Banned')
    await page.getByRole('button', { name: 'Lift the ban' }).click()
    await page.getByRole('button', { name: 'Lift it' }).click()
    await page.getByRole('heading', { name: 'Bruno Banned can sign in' }).waitFor()
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).last().click()
    await page.getByText('Bruno Banned is signed out on all devices.').waitFor()
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByText(/lifted the ban of Bruno Banned/).waitFor()
    await page.getByText('Ada Admin banned Bruno Banned: Spam').click()
    const details = page.locator('details[open]')
    await details.getByText('expiresAt').waitFor()
    assert.doesNotMatch((await details.textContent()) ?? '', /\d{13}/, 'a time is no number')
  })

  test('Support sees which apps have access to the account of a user, and what each sees', async () => {
    const { service } = pages()
    const { id } = await newMember(service)
    const page = await asSupport()
    await page.goto(`/staff/users/${id}`)
    const tabs = page.getByRole('navigation', { name: 'About this user' })
    await tabs.getByRole('link', { name: 'Apps' }).click()
    await page.getByText('No app has access to this account').waitFor()
    const columns = { createdBy: 'usr_operator' }
    await insertTestConsent(service, id, { metadata: { client_name: 'Charts' }, columns })
    await insertTestConsent(service, id, { metadata: { client_name: 'Your bank' } })
    await page.reload()
    const row = page.getByRole('row', { name: 'Charts' })
    await row.getByText('user id and email address').waitFor()
    await row.getByText('This service').waitFor()
    await page.getByRole('row', { name: 'Your bank' }).getByText('Registered itself here: we don’t know').waitFor()
  })

  test('Support sees the actions of administrators switched off, with the reason', async () => {
    const { service } = pages()
    const { id } = await newMember(service)
    const page = await asSupport()
    await page.goto(`/staff/users/${id}`)
    for (const [name, reason] of [
      ['Impersonate…', 'Only administrators impersonate users.'],
      ['Delete…', 'Only administrators delete users.'],
      ['Send a password link', 'Only administrators send password links.'],
    ] as const) {
      const button = page.getByRole('button', { name, description: reason })
      assert.equal(await button.getAttribute('aria-disabled'), 'true', name)
    }
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByText('Only administrators see the audit log').waitFor()
    const refused: string[] = []
    page.on('response', (response) => response.status() >= 400 && refused.push(response.url()))
    await page.goto(`/staff/users/${(await administrator(service)).id}`)
    await page.getByRole('button', { name: 'Ban…', description: /Only administrators manage staff/ }).waitFor()
    await page.getByRole('link', { name: 'Sessions' }).click()
    await page.getByText('Only administrators see this of staff').waitFor()
    assert.deepEqual(refused, [])
  })

  test('An administrator reads that no password link works during a ban', async () => {
    const { service } = pages()
    const admin = await administrator(service)
    const userId = await createTestUser(admin, {})
    await admin.client.post('/api/auth/admin/ban-user', { userId })
    const page = await asAdministrator()
    await page.goto(`/staff/users/${userId}`)
    const description = 'No link works during a ban. Lift the ban first.'
    await page.getByRole('button', { name: 'Send a password link', description }).waitFor()
  })

  test('The page of a deleted user or organization says that there is none, and links to the list', async () => {
    const page = await asSupport()
    for (const [kind, id] of [
      ['user', 'usr_deleted'],
      ['organization', 'org_deleted'],
    ] as const) {
      await page.goto(`/staff/${kind}s/${id}`)
      await heading(page, `There is no such ${kind}`)
      await page.getByText(`No ${kind} has the id ${id}`).waitFor()
      await page.getByRole('link', { name: `All ${kind}s` }).waitFor()
      const current = page.locator('.rail-link[aria-current="true"]')
      assert.deepEqual(await current.allTextContents(), [kind === 'user' ? 'Users' : 'Organizations'])
      await assertAbsent(
        page.getByRole('navigation', { name: 'About this' }),
        page.getByRole('button', { name: 'Try again' }),
      )
    }
  })

  test('A user who is no staff reads that the pages are for staff, also after losing the role', async () => {
    const { service, newPage } = pages()
    const admin = await administrator(service)
    const former = await userWithRole(service, admin, 'support')
    const page = await newPage()
    await openSession(page, service, former.email)
    await page.goto('/staff/users')
    const field = page.getByLabel('Name, email address or id')
    await field.waitFor()
    await admin.client.post('/api/auth/admin/set-role', { userId: former.id, role: 'user' })
    await field.fill('hire')
    await heading(page, 'This page is for staff')
    await page.getByRole('link', { name: 'Audit log' }).waitFor({ state: 'detached' })
    await page.goto('/staff/audit')
    await heading(page, 'This page is for staff')
    await assertAbsent(page.getByText('Your role is support'), page.getByRole('alert'))
  })

  test('Support with “my invitation never came” reads the response of the mail server', async () => {
    const email = await failedInvitation()
    const page = await asSupport()
    await page.goto('/account')
    await page.getByRole('link', { name: 'Invitations' }).click()
    await page.getByLabel('A part of the email address').fill(email.slice(0, 12))
    const row = page.getByRole('row').filter({ hasText: email })
    await row
      .getByText(/Email not delivered: 550/)
      .first()
      .click()
    await row.getByText('Email written').waitFor()
  })

  test('The state “Not delivered” finds the invitations whose email the mail server refused', async () => {
    const { service } = pages()
    const email = await failedInvitation()
    const { email: waiting } = await invite(service, await administratorWithOrganization(service))
    const page = await asSupport()
    await page.goto('/staff/invitations')
    await page.getByRole('row').filter({ hasText: waiting }).waitFor()
    await page.getByLabel('State').selectOption('Not delivered')
    await page.getByRole('row').filter({ hasText: waiting }).waitFor({ state: 'detached' })
    await page.getByRole('row').filter({ hasText: email }).getByText('Email not delivered').first().waitFor()
  })

  test('An address without a user shows its failed email and open invitation', async () => {
    const email = await failedInvitation()
    const page = await asSupport()
    await page.goto(`/staff/users?search=${email}`)
    await page.getByRole('heading', { name: `${email} can’t sign in` }).waitFor()
    await page.getByText('There is no user with the email address').waitFor()
    await page.getByText(/The reason: 550/).waitFor()
    await page.getByText(/An invitation to Example Works is open until/).waitFor()
    await page.getByText('No such user').waitFor()
    await page.getByRole('link', { name: 'Emails to this address' }).click()
    await page.getByRole('cell', { name: /550/ }).waitFor()
  })

  test('An administrator sends a failed email again, and a test email', async () => {
    const email = await failedInvitation()
    const page = await asAdministrator()
    await page.goto(`/staff/emails?recipient=${email}&status=failed`)
    await page.getByRole('cell', { name: /550/ }).waitFor()
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('No such emails').waitFor()
    await page.getByLabel('State').selectOption('Delayed')
    await page.getByRole('cell', { name: /^Delayed, next try/ }).waitFor()
    await page.getByRole('button', { name: 'Send a test email to me' }).click()
    await page.getByText('A test email to admin@example.com').waitFor()
  })

  test('The list of emails shows no error while an email address is typed', async () => {
    const email = await failedInvitation()
    const page = await asSupport()
    await page.goto('/staff/emails')
    const field = page.getByLabel('The whole email address')
    await field.fill(email.split('@')[0] ?? '')
    await page.getByText('Enter the whole email address').waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    await field.fill(email)
    await page.getByRole('cell', { name: /550/ }).waitFor()
  })

  test('The list of emails shows by itself when an email is sent', async () => {
    const { service } = pages()
    const page = await asAdministrator()
    const { email, invitationId } = await invite(service, await administratorWithOrganization(service))
    await page.goto(`/staff/emails?recipient=${email}`)
    await page.getByRole('cell', { name: 'Waiting to be sent' }).waitFor()
    const sent = { sentAt: service.context.now(), lastError: '250 OK' }
    await service.context.database.updateTable('outbox').set(sent).where('subjectId', '=', invitationId).execute()
    await page.getByRole('cell', { name: '250 OK' }).waitFor()
  })

  test('A fifth filter of the users stays in the field and is searched as text', async () => {
    const page = await asSupport()
    const filters = ['role:user', 'is:unverified', 'no:two-step', 'created:>2026-01-01']
    await page.goto(`/staff/users?${new URLSearchParams(filters.map((filter) => ['filter', filter]))}`)
    const field = page.getByLabel('Name, email address or id')
    await field.pressSequentially('created:<2026-02-01 ')
    await page.waitForURL((url) => url.searchParams.get('search') === 'created:<2026-02-01')
    assert.equal(await field.inputValue(), 'created:<2026-02-01 ')
    assert.equal(await page.getByRole('button', { name: /^Remove the filter/ }).count(), 4)
  })

  test('A typed filter of the users becomes a chip and a part of the address', async () => {
    const { service } = pages()
    const admin = await administrator(service)
    const name = `Chip ${randomLetters()}`
    const ids = await Promise.all([1, 2].map(() => createTestUser(admin, { name })))
    await admin.client.post('/api/auth/admin/ban-user', { userId: ids[0] })
    const page = await asAdministrator()
    await page.goto('/staff/users')
    const field = page.getByLabel('Name, email address or id')
    await field.fill('Chip ')
    await page.waitForURL(/\?search=Chip$/)
    assert.equal(await field.inputValue(), 'Chip ')
    await field.fill(name)
    await page.getByText('1 to 2 of 2').waitFor()
    await field.pressSequentially(' is:b')
    await page.getByRole('button', { name: 'is:banned', exact: true }).click()
    await page.getByText('1 to 1 of 1').waitFor()
    assert.equal(await field.inputValue(), name)
    await page.reload()
    await page.getByText('1 to 1 of 1').waitFor()
    await page.getByRole('button', { name: 'Remove the filter is:banned' }).click()
    await page.getByText('1 to 2 of 2').waitFor()
    await field.fill(ids[1] ?? '')
    await page.getByText('1 to 1 of 1').waitFor()
    await field.fill(`${name} is:banned`)
    await page.getByRole('button', { name: 'Remove the filter is:banned' }).waitFor()
    await page.getByText('1 to 1 of 1').waitFor()
    assert.equal(await field.inputValue(), name)
    await field.clear()
    await field.dispatchEvent('keydown', { key: 'Backspace', isComposing: true })
    assert.equal(await page.getByRole('button', { name: 'Remove the filter is:banned' }).count(), 1)
  })

  test('A bulk ban names its users, one refusal does not stop the others, and the refused user stays selected', async () => {
    const { service } = pages()
    const admin = await administrator(service)
    const emails = [newEmail(), newEmail()]
    const name = `Bulk ${randomLetters()}`
    const ids: string[] = []
    for (const email of emails) ids.push(await createTestUser(admin, { email, name }))
    await createTestUser(admin, { email: `staff-${emails[0]}`, name, role: 'support' })
    const page = await asSupport()
    await page.goto(`/staff/users?search=${encodeURIComponent(name)}`)
    const checkboxOf = (email: string) => page.getByLabel(`Select ${email}`, { exact: true })
    const all = [`staff-${emails[0]}`, ...emails]
    for (const email of all) await checkboxOf(email).check()
    await page.getByText('3 selected.').waitFor()
    await page.getByRole('button', { name: 'Ban… the 3 selected' }).click()
    assert.deepEqual(await namesIn(page, 'the 3 selected'), all)
    await page.getByRole('button', { name: 'Ban them' }).click()
    await page.getByText('Say why, so that other staff').waitFor()
    await page.getByLabel('Reason').fill('Sent spam')
    const { promise: seen, resolve } = Promise.withResolvers<void>()
    await page.route('**/ban-user', async (route) => {
      if (route.request().postDataJSON().userId === ids[0]) await seen
      await route.continue()
    })
    await page.getByRole('button', { name: 'Ban them' }).click()
    await page.getByText('0 done, 2 to go').waitFor()
    resolve()
    await page.getByText('2 done, 1 refused. 1 selected.').waitFor()
    await page
      .getByRole('alert')
      .getByRole('link', { name: `staff-${emails[0]}` })
      .waitFor()
    assert.deepEqual(await Promise.all(all.map((email) => checkboxOf(email).isChecked())), [true, false, false])
    await checkboxOf(emails[0]!).check()
    await page.getByText('2 done, 1 refused. 2 selected.').waitFor()
    for (const userId of ids) {
      const { body } = await admin.client.get(`/api/auth/admin/get-user?id=${userId}`)
      assert.deepEqual([body.user.banned, body.user.banReason], [true, 'Sent spam'])
    }
  })

  for (const place of ['the page of a user', 'selected rows'])
    test(`A ban from ${place} leaves the ban that other staff have set since, and shows it`, async () => {
      const { service } = pages()
      const admin = await administrator(service)
      const email = newEmail()
      const userId = await createTestUser(admin, { email })
      const page = await asSupport()
      const isOneUser = place === 'the page of a user'
      await page.goto(isOneUser ? `/staff/users/${userId}` : `/staff/users?search=${email}`)
      if (!isOneUser) await page.getByLabel(`Select ${email}`).check()
      await page.getByRole('button', { name: /^Ban…/ }).click()
      await page.getByLabel('Reason').fill('Sent spam')
      await admin.client.post('/api/auth/admin/ban-user', { userId, banReason: 'Fraud' })
      await page.getByRole('button', { name: isOneUser ? 'Ban' : 'Ban them', exact: true }).click()
      await page.getByText('This user is banned already, so nothing was changed.').waitFor()
      if (isOneUser) {
        await page.reload()
        await page.getByRole('button', { name: 'Lift the ban' }).waitFor()
      } else await page.getByRole('cell', { name: 'Banned' }).waitFor()
      const { user } = (await admin.client.get(`/api/auth/admin/get-user?id=${userId}`)).body
      assert.deepEqual([user.banReason, user.banExpires], ['Fraud', null])
    })

  test('A reason of a ban that is too long is marked at its field, for one user and for several', async () => {
    const { service } = pages()
    const email = newEmail()
    const id = await createTestUser(await administrator(service), { email })
    const page = await asAdministrator()
    for (const [path, confirm] of [
      [`/staff/users/${id}`, 'Ban'],
      [`/staff/users?search=${email}`, 'Ban them'],
    ] as const) {
      await page.goto(path)
      if (confirm === 'Ban them') await page.getByLabel(`Select ${email}`).check()
      await page.getByRole('button', { name: /^Ban…/ }).click()
      await page.getByLabel('Reason').fill('x'.repeat(501))
      await page.getByRole('button', { name: confirm, exact: true }).click()
      await page.getByText('Use at most 500 characters.').waitFor()
      assert.equal(await page.getByRole('alert').count(), 0)
    }
  })

  test('The question of a bulk ban names the selected users who are not on the page', async () => {
    const { service } = pages()
    const admin = await administrator(service)
    const emails = [newEmail(), newEmail()]
    for (const email of emails) await createTestUser(admin, { email })
    const page = await asSupport()
    await page.goto('/staff/users')
    for (const email of emails) {
      await page.getByLabel('Name, email address or id').fill(email)
      await page.getByText('1 to 1 of 1').waitFor()
      await page.getByLabel(`Select ${email}`).check()
    }
    await page.getByRole('button', { name: 'Ban… the 2 selected' }).click()
    assert.deepEqual(await namesIn(page, 'the 2 selected'), emails)
  })

  test('"Select all on this page" is off without the rows, and "Select none" is not', async () => {
    const { service } = pages()
    const admin = await administrator(service)
    const name = `Bulk ${randomLetters()}`
    await createTestUser(admin, { name })
    const page = await asSupport()
    const response = Promise.withResolvers<void>()
    await page.route('**/list-users*', (route) => response.promise.then(() => route.fallback()))
    await page.goto(`/staff/users?search=${encodeURIComponent(name)}`)
    const selectAll = page.getByRole('button', { name: 'Select all on this page' })
    await selectAll.waitFor()
    assert.equal(await selectAll.isDisabled(), true)
    response.resolve()
    await selectAll.click()
    await page.getByText('1 selected.').waitFor()
    const refusal = { code: 'TOO_MANY_REQUESTS', message: 'Too many tries.' }
    await page.route('**/list-users*', (route) => route.fulfill({ status: 429, json: refusal }))
    await page.getByRole('searchbox').fill('Bulk')
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await page.getByText('1 selected.').waitFor()
    const selectNone = page.getByRole('button', { name: 'Select none' })
    assert.equal(await selectNone.isDisabled(), false)
    await selectNone.click()
    assert.equal(await selectAll.isDisabled(), true)
  })

  test('A bulk action stops at the first user when the session has ended and its user leaves the page', async () => {
    const { service, newPage } = pages()
    const admin = await administrator(service)
    const name = `Bulk ${randomLetters()}`
    for (let count = 0; count < 2; count += 1) await createTestUser(admin, { name })
    const support = await userWithRole(service, admin, 'support')
    const page = await newPage()
    await openSession(page, service, support.email)
    await page.goto(`/staff/users?search=${encodeURIComponent(name)}`)
    await page.getByText('1 to 2 of 2').waitFor()
    await settled(page)
    await page.getByRole('button', { name: 'Select all on this page' }).click()
    await page.getByRole('button', { name: 'Sign out everywhere the 2 selected' }).click()
    await service.context.database.deleteFrom('sessions').where('userId', '=', support.id).execute()
    await page.getByRole('button', { name: 'Sign them out' }).click()
    await page.getByRole('button', { name: 'Leave this page' }).click()
    await heading(page, 'Sign in')
    assert.equal(await page.getByRole('dialog').count(), 0)
  })

  test('An administrator finds everything of a request in the audit log and saves it as JSON lines', async () => {
    const { service } = pages()
    const admin = await administrator(service)
    const userId = await createTestUser(admin, { name: 'Paula Audited' })
    await admin.client.post('/api/auth/admin/ban-user', { userId, banReason: 'Odd' })
    const page = await asAdministrator()
    await page.goto(`/staff/audit?id=${userId}`)
    await page.getByText('Ada Admin banned Paula Audited: Odd').click()
    await page.getByRole('link', { name: 'Everything of this request' }).click()
    await page.getByText('Ada Admin created Paula Audited').waitFor({ state: 'detached' })
    await page.getByText('Ada Admin banned Paula Audited: Odd').waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as JSON lines' }).click()
    const lines = await readFile(await (await download).path(), 'utf8')
    const events = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.ok(events.some(({ action, subjectId }) => action === 'user.banned' && subjectId === userId))
    assert.equal(new Set(events.map(({ requestId }) => requestId)).size, 1)
  })

  test('The export of the audit log says that there are more events only if it leaves some out', async () => {
    const page = await asAdministrator()
    for (const leavesSomeOut of [true, false]) {
      const letPass = await routeForNow(page, '**/list-audit-events?*', (route) => {
        const parameters = new URL(route.request().url()).searchParams
        if (parameters.get('limit') !== '500') return route.fallback()
        const offset = Number(parameters.get('offset'))
        const events = Array.from({ length: 500 }, (_, at) => ({ id: `evt_${offset + at}` }))
        return route.fulfill({ json: { events, hasMore: leavesSomeOut || offset < 19_500 } })
      })
      await page.goto('/staff/audit')
      await page.getByRole('button', { name: 'Export as JSON lines' }).click()
      const notice = page.getByText('20,000 events saved.')
      await notice.waitFor()
      assert.equal((await notice.textContent())?.includes('There are more'), leavesSomeOut)
      letPass()
    }
  })

  test('An export of the audit log saves nothing after another filter was chosen', async () => {
    const page = await asAdministrator()
    await page.goto('/staff/audit')
    let downloadCount = 0
    page.on('download', () => {
      downloadCount += 1
    })
    const held = await holdNext(page, '**/list-audit-events?*limit=500*')
    await page.getByRole('button', { name: 'Export as JSON lines' }).click()
    await held.sent
    await page.getByLabel('Action').selectOption('user.banned')
    await page.waitForURL('**/staff/audit?action=user.banned')
    const response = page.waitForResponse('**/list-audit-events?*limit=500*')
    held.release()
    await (await response).finished()
    await settled(page)
    await waitForFrames(page)
    assert.equal(downloadCount, 0)
  })

  test('The audit log names an imported user, and does not believe a browser that claims to be the command line', async () => {
    const { service } = pages()
    const { database } = service.context
    const admin = await administrator(service)
    const email = newEmail()
    const user = await database.selectFrom('users').selectAll().where('id', '=', admin.id).executeTakeFirstOrThrow()
    const id = randomBytes(16).toString('hex')
    await database
      .insertInto('users')
      .values({ ...user, id, email, name: 'Ida Imported', role: 'user' })
      .execute()
    await recordEvents(database, service.context, { ...OPERATOR, actorId: id }, [
      { action: 'user.updated', subjectId: admin.id },
    ])
    const claimed = { ...OPERATOR, ipAddress: '192.0.2.7' }
    await recordEvents(database, service.context, claimed, [{ action: 'password.changed', subjectId: id }])
    await recordEvents(database, service.context, OPERATOR, [{ action: 'user.banned', subjectId: id }])

    const page = await asAdministrator()
    await page.goto(`/staff/users?search=${id}`)
    await page.getByRole('link', { name: 'Ida Imported' }).waitFor()
    await page.goto(`/staff/audit?id=${id}`)
    await page.getByText(/^Ida Imported changed/).waitFor()
    await page.getByText('The command line banned Ida Imported').waitFor()
    await page.getByText(/^A browser without a session .*Ida Imported/).waitFor()
  })

  test('The audit log says that its newest events could not be verified', async () => {
    const page = await asAdministrator()
    const json = { code: 'CONFLICT', message: 'Another change was first.' }
    await page.route('**/admin/get-system*', (route) => route.fulfill({ status: 409, json }))
    await page.goto('/staff/audit')
    await page.getByText('Another change was first.').waitFor()
    assert.equal(await page.getByText('Verifying the newest events').count(), 0)
  })

  test('A day that is typed into a filter of the audit log is not a step of the history', async () => {
    const page = await asAdministrator()
    const previous = page.url()
    await page.goto('/staff/audit')
    await page.getByLabel('From (UTC)').focus()
    await page.keyboard.type('11272026')
    await page.waitForURL('**/staff/audit?from=2026-11-27')
    await page.getByLabel('Before (UTC)').focus()
    await page.keyboard.type('11282026')
    await page.waitForURL('**/staff/audit?from=2026-11-27&until=2026-11-28')
    await page.goBack()
    assert.equal(page.url(), previous)
  })

  test('An export of the audit log repeats no event that moves because of a new one', async () => {
    const { service } = pages()
    const subjectId = `usr_${randomLetters()}`
    const record = (count: number) =>
      service.context.database
        .transaction()
        .execute((transaction) =>
          recordEvents(
            transaction,
            service.context,
            OPERATOR,
            Array(count).fill({ action: 'user.updated', subjectId }),
          ),
        )
    await record(510)
    const page = await asAdministrator()
    await page.route('**/list-audit-events?*offset=500*', async (route) => {
      await record(3)
      await route.continue()
    })
    await page.goto(`/staff/audit?id=${subjectId}`)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as JSON lines' }).click()
    const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n')
    assert.equal(lines.length, 510)
    assert.equal(new Set(lines).size, 510)
    await page.getByText('510 events saved.').waitFor()
  })

  test('A user is deleted only after the address is typed, and the page then names the API keys that still work', async () => {
    const { service } = pages()
    const admin = await administrator(service)
    const organizationAdmin = await newMember(service, 'admin')
    const { id: userId, email, client, organization } = organizationAdmin
    await client.post('/api/auth/api-key/create', { name: 'Nightly export', organizationId: organization.id })
    const page = await asAdministrator()
    await page.goto(`/staff/users/${userId}`)
    await page.getByRole('button', { name: `Delete… ${email}` }).click()
    await page.getByRole('button', { name: 'Delete this user' }).click()
    await page.getByText(`Type ${email}, exactly so.`).waitFor()
    await page.getByLabel(/^Type /).fill(email)
    await page.getByRole('button', { name: 'Delete this user' }).click()
    await heading(page, 'Users')
    await page.getByText('is deleted. API keys that they created still work: Nightly export (Example Works).').waitFor()
    assert.equal((await admin.client.get(`/api/auth/admin/get-user?id=${userId}`)).status, 404)
  })

  test('Staff open an organization with its members and invitations', async () => {
    const { service } = pages()
    const first = await administratorWithOrganization(service)
    const { email } = await member(service, first)
    const page = await asSupport()
    await page.goto('/staff/organizations')
    await page.getByLabel('A part of the name or address').fill(first.organization.slug)
    await page.getByText('1 to 1 of 1').waitFor()
    await page.getByRole('row').filter({ hasText: first.organization.slug }).getByRole('link').click()
    await page.getByText('2, of which 1 owner').waitFor()
    await page.getByRole('link', { name: 'Members', exact: true }).click()
    await page.getByRole('cell', { name: email }).waitFor()
  })

  test('The page of a user lists no invitations of longer addresses that contain the address of the user', async () => {
    const { service } = pages()
    const admin = await administratorWithOrganization(service)
    const email = newEmail()
    const userId = await createTestUser(admin, { email, name: 'Bruno Short' })
    await invite(service, admin, email)
    await invite(service, admin, `a${email}`)
    const page = await asSupport()
    await page.goto(`/staff/users/${userId}`)
    await page.getByRole('link', { name: 'Invitations', exact: true }).last().click()
    await page.getByRole('cell', { name: email, exact: true }).waitFor()
    assert.equal(await page.getByRole('cell', { name: `a${email}`, exact: true }).count(), 0)
  })

  test('Owners and staff read the same words about an invitation and a member', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const { id, slug } = founder.organization
    const invited = await invite(service, founder)
    const { client } = await signUp(service, invited)
    await client.post('/api/auth/organization/accept-invitation', { invitationId: invited.invitationId })
    const { email } = invited
    const page = await newPage()
    await openSession(page, service, founder.email)
    for (const path of [
      `/organizations/${slug}/invitations`,
      `/staff/invitations?email=${encodeURIComponent(email)}`,
    ]) {
      await page.goto(path)
      const row = page.getByRole('row').filter({ hasText: email })
      await row.getByText('Joined', { exact: true }).first().waitFor()
      await page.getByLabel('State').selectOption('Joined')
    }
    for (const path of [`/organizations/${slug}/members`, `/staff/organizations/${id}?tab=members`]) {
      await page.goto(path)
      await page.getByRole('row').filter({ hasText: email }).waitFor()
      await page.getByRole('columnheader', { name: 'Last active' }).waitFor()
    }
  })

  test('An administrator invites an owner into an organization whose only owner is banned', async () => {
    const { service } = pages()
    const admin = await administratorWithOrganization(service)
    const { id: organizationId } = admin.organization
    const spammer = await member(service, admin, 'owner')
    await admin.client.post('/api/auth/organization/leave', { organizationId })
    await admin.client.post('/api/auth/admin/ban-user', { userId: spammer.id })
    const page = await asAdministrator()
    await page.goto(`/staff/organizations/${organizationId}`)
    await heading(page, 'Example Works')
    await page.getByRole('heading', { name: 'Every owner of this organization is banned' }).waitFor()
    await page.getByRole('button', { name: 'Invite an owner…', exact: true }).click()
    await page.getByRole('group', { name: 'Invite', exact: true }).waitFor()
    const email = newEmail()
    await page.getByLabel('Email address of the owner').fill(email)
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await page.getByText('The invitation is on its way.').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Invitations', exact: true }).click()
    await page.getByText(email).waitFor()
  })

  test('An administrator impersonates a user with a reason, and stops', async () => {
    const { service } = pages()
    const admin = await administrator(service)
    const { id, email } = await newMember(service)
    const page = await asAdministrator()
    await page.goto(`/staff/users/${id}`)
    await page.getByRole('button', { name: `Impersonate… ${email}` }).click()
    await page.getByRole('button', { name: 'Impersonate', exact: true }).click()
    await page.getByText('Say why').waitFor()
    await page.getByLabel('Reason').fill('The user sees no members')
    const other = await page.context().newPage()
    await other.goto('/account')
    await heading(other, 'Your account')
    await page.getByRole('button', { name: 'Impersonate', exact: true }).click()
    await heading(page, 'Your account')
    await heading(other, 'You are now signed in as Hilda Hire')
    await page.getByText('You are impersonating Hilda Hire').waitFor()
    await page.getByText(email).first().waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await heading(page, 'Hilda Hire')
    await page.getByRole('link', { name: 'Impersonations' }).click()
    await page.getByText('Ada Admin started to impersonate Hilda Hire: The user sees no members').waitFor()
    assert.equal(await page.getByRole('row').count(), 2, 'the heading and the impersonation')
    const { body } = await admin.client.get(
      `/api/auth/admin/list-audit-events?subjectId=${id}&action=impersonation.ended`,
    )
    assert.equal(body.events.length, 1)
  })

  test('A day of a plot leads to its audit events, and the time is in the address', async () => {
    const { service, newPage } = pages()
    const { database, now } = service.context
    const hour = hourOf(now() - 2 * DAY_MILLISECONDS)
    await addCounts(database, [
      { name: 'sign-in', hour, detail: 'password', count: 7 },
      { name: 'ban', hour, detail: '', count: 1 },
    ])
    // West of UTC, the day in UTC begins on the day before.
    const page = await newPage({ timezoneId: 'America/New_York' })
    await openSession(page, service, (await administrator(service)).email)
    await page.goto('/staff')
    await page.getByRole('figure').first().waitFor()
    const held = await holdNext(page, '**/admin/statistics*')
    await page.getByLabel('Time, against').selectOption('The last 7 days')
    await page.waitForURL('**/staff?days=7')
    await held.sent
    await page.locator('[aria-busy=true]').getByRole('figure').first().waitFor()
    held.release()
    await page.locator('[aria-busy=false]').getByRole('figure').first().waitFor()
    // The reload waits for the new numbers. Before them, the keys would move through the numbers of 30 days.
    await page.reload()
    const plot = page.getByRole('figure').filter({ hasText: 'sign-ins without a passkey' })
    await plot.getByRole('slider').focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    const nameOfDay = new Date(hour).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })
    await plot.getByText(`${nameOfDay}: 7 sign-ins without a passkey`).waitFor()
    const bans = page.getByRole('figure').filter({ hasText: 'bans' })
    await bans.getByRole('slider').press('ArrowLeft')
    await bans.getByRole('slider').press('ArrowLeft')
    await bans.getByText(`${nameOfDay}: 1 ban, 0 lifted bans`).waitFor()
    await plot.getByRole('link', { name: /^Events/ }).click()
    await heading(page, 'Audit log')
    const day = new Date(hour).toISOString().slice(0, 10)
    const nextDay = new Date(hour + DAY_MILLISECONDS).toISOString().slice(0, 10)
    assert.equal(await page.getByLabel('From (UTC)').inputValue(), day)
    assert.equal(await page.getByLabel('Before (UTC)').inputValue(), nextDay)
    assert.equal(await page.getByLabel('Action').inputValue(), 'session.started')
    await page.goBack()
    assert.equal(new URL(page.url()).searchParams.get('days'), '7')
    await plot.locator('svg a').first().click()
    await heading(page, 'Audit log')
  })

  test('The number of users with a passkey leads to them', async () => {
    const { service, newPage } = pages()
    const boss = await administrator(service)
    await insertTestPasskeys(service, boss.id, 1)
    const { email: without } = await newMember(service)
    const page = await newPage()
    await openSession(page, service, boss.email)
    await page.goto('/staff')
    await page.locator('.counts div').filter({ hasText: 'With a passkey' }).getByRole('link').click()
    await page.getByRole('button', { name: 'Remove the filter has:passkey' }).waitFor()
    await page.getByRole('row').filter({ hasText: boss.email }).waitFor()
    assert.equal(await page.getByRole('row').filter({ hasText: without }).count(), 0)
  })

  test('A plot of several actions leads to the audit events of each, by its links and its bars', async () => {
    const { service, newPage } = pages()
    const { database, now } = service.context
    await addCounts(database, [
      { name: 'sign-in-failed', hour: hourOf(now()), detail: 'wrong password', count: 1 },
      { name: 'sign-in-failed', hour: hourOf(now()), detail: 'too many tries', count: 2 },
      { name: 'unban', hour: hourOf(now()), detail: '', count: 100_000 },
    ])
    const page = await newPage()
    await openSession(page, service, (await administrator(service)).email)
    const follow = async (title: string, link: (plot: Locator) => Locator) => {
      await page.goto('/staff?days=7')
      await link(page.getByRole('figure').filter({ hasText: title })).click()
      await heading(page, 'Audit log')
      return page.getByLabel('Action').inputValue()
    }
    const named = (name: RegExp) => (plot: Locator) => plot.getByRole('link', { name })
    assert.equal(await follow('failed sign-in', named(/^Events: failed sign-ins within the limits/)), 'sign-in.failed')
    assert.equal(await follow('failed sign-in', named(/^Events: over a limit/)), 'limit.reached')
    assert.equal(await follow('lifted', named(/^Events: bans/)), 'user.banned')
    assert.equal(await follow('lifted', named(/^Events: lifted bans/)), 'user.unbanned')
    const lastBar = (plot: Locator) => plot.locator('svg a').last()
    assert.equal(await follow('lifted', lastBar), 'user.unbanned')
  })

  test('The audit events of an hour show the hours of the filter', async () => {
    const { service, newPage } = pages()
    const page = await newPage()
    await openSession(page, service, (await administrator(service)).email)
    await page.goto('/staff/audit?from=2026-11-28T13:00:00.000Z&until=2026-11-28T14:00:00.000Z')
    await page.getByLabel('From (UTC), at 13:00').waitFor()
    await page.getByLabel('Before (UTC), at 14:00').fill('2026-11-29')
    await page.getByLabel('Before (UTC)', { exact: true }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('until'), '2026-11-29')
  })

  test('The filter of users by day begins at midnight of the browser, as the days in the table do', async () => {
    const { service, newPage } = pages()
    const page = await newPage({ timezoneId: 'Pacific/Auckland' })
    await page.clock.setFixedTime('2026-11-25T12:00:00Z')
    await openSession(page, service, (await administrator(service)).email)
    const [listing] = await Promise.all([
      page.waitForResponse('**/admin/list-users?*'),
      page.goto('/staff/users?filter=created:%3E2026-01-31'),
    ])
    assert.equal(new URL(listing.url()).searchParams.get('filter'), 'createdAt:gte:2026-01-30T11:00:00.000Z')
    const { users } = await listing.json()
    const shown = new Date(users[0].createdAt).toLocaleDateString('en-US', {
      dateStyle: 'medium',
      timeZone: 'Pacific/Auckland',
    })
    await page.getByRole('cell', { name: shown, exact: true }).first().waitFor()
    // In Auckland, it is the 26th.
    await page.getByRole('button', { name: 'created:>2026-11-19' }).waitFor()
  })

  test('The table of a plot separates thousands, and its CSV has plain numbers and the day of each hour', async () => {
    const { database, now } = pages().service.context
    await addCounts(database, [{ name: 'ban', hour: hourOf(now()), detail: '', count: 12_345 }])
    const page = await asAdministrator()
    await page.goto('/staff?days=1')
    const plot = page.getByRole('figure').filter({ hasText: 'bans' })
    await plot.getByText('Show as a table').click()
    await plot.getByRole('cell', { name: '12,345', exact: true }).waitFor()
    const csv = decodeURIComponent((await plot.getByRole('link', { name: 'CSV' }).getAttribute('href')) ?? '')
    assert.match(csv, /"12345"/)
    assert.equal(csv.match(/^"[A-Z][a-z]{2} \d/gm)?.length, csv.split('\r\n').length - 1, csv)
  })

  test('The chosen time of a plot and a button that is off are recognizable in forced colors', async () => {
    const page = await asAdministrator()
    await page.emulateMedia({ forcedColors: 'active' })
    await page.goto('/staff')
    await page.locator('.plot-marked').first().waitFor()
    assert.equal(await page.evaluate("getComputedStyle(document.querySelector('.plot-marked')).fill"), 'none')
    await page.goto('/staff/users')
    await page.getByRole('button', { name: 'Previous' }).waitFor()
    const colors = await page.evaluate<string[]>(`(() => {
      const off = document.querySelector('.page-buttons .button')
      const expected = Object.assign(document.createElement('p'), { style: 'color: GrayText' })
      document.body.append(expected)
      return [off, expected].map((element) => getComputedStyle(element).color)
    })()`)
    assert.equal(colors[0], colors[1])
  })

  test('The system page does not jump while its parts load', async () => {
    for (const width of [320, 1280]) {
      const page = await pages().newPage({ viewport: { width, height: 800 } })
      const layoutShift = await measureLayoutShift(page)
      await openSession(page, pages().service, (await administrator(pages().service)).email)
      const { promise: limitsAllowed, resolve } = Promise.withResolvers<void>()
      await page.route('**/list-throttles*', async (route) => {
        await limitsAllowed
        await route.continue()
      })
      await page.goto('/staff/system')
      await page.getByRole('heading', { name: 'Used limits' }).waitFor()
      // The page paints what it shows before the limits.
      await layoutShift()
      resolve()
      await page.getByText('All checks pass').waitFor()
      // The columns of a filled table are not those of its skeleton.
      assert.ok((await layoutShift()) < 0.05, `${width} px: ${await layoutShift()}`)
    }
  })

  test('An administrator clears a used-up limit, and sees checks and signing keys', async () => {
    const { service, newPage } = pages()
    const email = newEmail()
    await createTestUser(await administrator(service), { email })
    for (let count = 0; count < 20; count += 1)
      await service.client().post('/api/auth/sign-in/email', { email, password: 'not the right one' })
    // The page names an account by its failed sign-ins, which are saved twice a second.
    await service.context.repeatedEvents.save()
    await rotateSigningKey(service.context)
    // The pages are in English, whatever the language and the calendar of the browser.
    const page = await newPage({ locale: 'th-TH' })
    await openSession(page, service, (await administrator(service)).email)
    await page.goto('/staff/system')
    await page.getByText('Signs tokens now').waitFor()
    await page.getByRole('heading', { name: /^The next signing key takes over in \d+ minutes$/ }).waitFor()
    assert.doesNotMatch((await page.getByRole('main').textContent()) ?? '', /\p{Script=Thai}/u)
    await page.getByText('All checks pass').waitFor()
    await page.getByRole('row').filter({ hasText: email }).getByText('20 of 20, refused').waitFor()
    await page.getByRole('button', { name: `Clear ${email}` }).click()
    await page.getByRole('button', { name: 'Clear it' }).click()
    await page.getByRole('row').filter({ hasText: email }).waitFor({ state: 'detached' })
    await openAccount(await pages().newPage(), service, email)
  })

  test('The system page never says that a signing key takes over in 0 minutes', async () => {
    const { context } = pages().service
    await rotateSigningKey(context)
    const { activeAt } = await context.database
      .selectFrom('signingKeys')
      .select('activeAt')
      .orderBy('activeAt', 'desc')
      .executeTakeFirstOrThrow()
    const page = await asAdministrator()
    await page.clock.setFixedTime(activeAt - 20_000)
    await page.goto('/staff/system')
    await page.getByRole('heading', { name: 'The next signing key takes over in less than a minute' }).waitFor()
  })

  test('An administrator creates an organization for a user, who gets the invitation of an owner', async () => {
    const { service } = pages()
    const email = newEmail()
    const page = await asAdministrator()
    await page.goto('/staff/organizations')
    await page.getByRole('button', { name: 'Create an organization…' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Bakery \u202eof Berta')
    await page.getByLabel('Short name in addresses').fill('b')
    await page.getByLabel('Email address of the owner').fill(email)
    await page.getByRole('button', { name: 'Create and invite' }).click()
    await page.getByText('Use at least two characters.').waitFor()
    await page.getByText('There is a hidden character in this').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Bakery of Berta')
    await page.getByLabel('Short name in addresses').fill(`bakery-${email.slice(5, 17)}`)
    await page.getByRole('button', { name: 'Create and invite' }).click()
    await heading(page, 'Bakery of Berta')
    await page.getByText('This organization has no owner yet').waitFor()
    await page.getByRole('button', { name: 'Invite an owner…' }).waitFor()
    await page.getByRole('link', { name: 'Invitations', exact: true }).last().click()
    await page.getByRole('cell', { name: email }).waitFor()
    assert.equal((await service.emails(email)).length, 1)
  })
})

/** The names that a question lists. */
function namesIn(page: Page, about: string): Promise<string[]> {
  return page.getByRole('list', { name: about }).getByRole('listitem').allTextContents()
}
