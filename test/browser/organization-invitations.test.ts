import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { parseSmtpUrl } from '../../server/platform/config/smtp-server.ts'
import { createDelivery } from '../../server/platform/mail/delivery.ts'
import { UNREADABLE } from '../../server/platform/mail/email-deliveries.ts'
import { inBrowser } from '../support/pages.ts'
import { holdNext, loseNextResponse, routeForNow, routeOnce } from '../support/route-once.ts'
import { startSmtpScript } from '../support/smtp-script.ts'
import { administratorWithOrganization, invite, member, memberIdOf, newEmail } from '../support/users.ts'
import { focused, openSession, settled } from '../support/visits.ts'

const CANCEL = '**/organization/cancel-invitation'
/** More than a page of the list. */
const MANY = 60
/** Each twentieth address has a spelling that the mail server refuses. */
const ADDRESSES = Array.from({ length: MANY }, (_, at) => (at % 20 === 19 ? `wrong-${newEmail()}` : newEmail()))

inBrowser('Invitations of an organization', (pages) => {
  test('A canceled invitation is shown as canceled, also if its email arrives later', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const { email, invitationId } = await invite(service, founder)
    await founder.client.post('/api/auth/organization/cancel-invitation', { invitationId })
    const sent = { sentAt: service.context.now() + 1_000, failedAt: null, lastError: '250 OK' }
    await service.context.database.updateTable('outbox').set(sent).where('subjectId', '=', invitationId).execute()
    const page = await newPage()
    await openSession(page, service, founder.email)
    await page.goto(`/organizations/${founder.organization.slug}/invitations`)
    const row = page.getByRole('row').filter({ hasText: email })
    await row.waitFor()
    assert.equal(await row.locator('.badge').textContent(), 'Canceled')
  })

  test("An invitation of a removed inviter says that it can't be accepted, until it is sent again", async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const inviter = await member(service, founder, 'admin')
    const { email } = await invite(service, inviter)
    await founder.client.post('/api/auth/organization/remove-member', { memberIdOrEmail: inviter.email })
    const page = await newPage()
    await openSession(page, service, founder.email)
    await page.goto(`/organizations/${founder.organization.slug}/invitations`)
    const row = page.getByRole('row').filter({ hasText: email })
    await row.getByText('Can’t be accepted', { exact: true }).waitFor()
    await row.getByRole('button').click()
    await page.getByText('its inviter may no longer invite').waitFor()
    const staffPage = await page.context().newPage()
    await staffPage.goto(`/staff/invitations?email=${encodeURIComponent(email)}`)
    await staffPage.getByRole('row').filter({ hasText: email }).getByText('Can’t be accepted').waitFor()
    await page.getByRole('button', { name: 'Send again', exact: true }).click()
    await row.getByText('Waiting to be sent', { exact: true }).waitFor()
    assert.equal(await page.getByText('its inviter may no longer invite').count(), 0)
  })

  test('An invitation whose email was given up says so after its inviter is an admin again, and can be sent again', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const inviter = await member(service, founder, 'admin')
    const { email } = await invite(service, inviter)
    const memberId = await memberIdOf(inviter)
    for (const role of ['member', 'admin'])
      await founder.client.post('/api/auth/organization/update-member-role', { memberId, role })
    const page = await newPage()
    await openSession(page, service, inviter.email)
    await page.goto(`/organizations/${founder.organization.slug}/invitations?status=failed`)
    const row = page.getByRole('row').filter({ hasText: email })
    await row.getByText('Not delivered', { exact: true }).waitFor()
    await row.getByRole('button').click()
    await page.getByText('because the inviter was not allowed to invite at that time').waitFor()
    await page.getByRole('button', { name: 'Send again', exact: true }).click()
    await page.getByText(`A new link is on its way to ${email}.`).waitFor()
    await page.getByText('No invitation matches').waitFor()
  })

  test('The list is loaded again while an email waits to be sent, and not after the email was given up', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const inviter = await member(service, founder, 'admin')
    const { email } = await invite(service, inviter)
    const page = await newPage()
    await openSession(page, service, founder.email)
    await page.clock.install()
    const countLoads = async (state: string) => {
      await page.goto(`/organizations/${founder.organization.slug}/invitations`)
      await page.getByRole('row').filter({ hasText: email }).getByText(state, { exact: true }).waitFor()
      let count = 0
      const add = (request: Request) => {
        if (request.url().includes('/list-invitations')) count += 1
      }
      page.on('request', add)
      await page.clock.fastForward(10_000)
      await settled(page)
      page.off('request', add)
      return count
    }
    assert.equal(await countLoads('Waiting to be sent'), 1)
    await founder.client.post('/api/auth/organization/remove-member', { memberIdOrEmail: inviter.email })
    assert.equal(await countLoads('Can’t be accepted'), 0)
  })

  test('Addresses that are entered while others are invited stay in the field', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const page = await newPage()
    await openSession(page, service, founder.email)
    await page.goto(`/organizations/${founder.organization.slug}/invitations`)
    const field = page.getByLabel('Email addresses', { exact: true })
    const [first, second, next, typed] = [newEmail(), newEmail(), newEmail(), newEmail()]
    await field.fill(`${first} ${founder.email}`)
    await field.press('Enter')
    await field.fill(second)
    const held = await holdNext(page, '**/organization/invite-members')
    await page.getByRole('button', { name: 'Send invitations' }).click()
    await held.sent
    await field.press('Enter')
    await field.fill(next)
    await field.press('Enter')
    await field.fill(typed)
    held.release()
    await page.getByText('Invitations sent: 2.').waitFor()
    const chips = page.getByRole('list', { name: 'Entered: Email addresses' }).getByRole('listitem').locator('> span')
    await page.getByText('2 entered.').waitFor()
    assert.deepEqual(
      (await chips.allTextContents()).map((text) => text.split(' ')[0]),
      [founder.email, next],
    )
    assert.equal(await field.inputValue(), typed)
  })

  test('Invitations whose response was lost stay in the field, and are not emailed twice when they are sent again', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const page = await newPage()
    await openSession(page, service, founder.email)
    await page.goto(`/organizations/${founder.organization.slug}/invitations`)
    const [first, second] = [newEmail(), newEmail()]
    const field = page.getByLabel('Email addresses', { exact: true })
    await field.fill(`${first} ${second}`)
    await field.press('Enter')
    await loseNextResponse(page, '**/organization/invite-members')
    const send = page.getByRole('button', { name: 'Send invitations' })
    await send.click()
    await page.getByRole('alert').getByText('Send again: no address is invited twice.').waitFor()
    await page.getByText('2 entered.').waitFor()
    await send.click()
    await page.getByRole('alert').getByText(`${second}: This email address is already invited.`).waitFor()
    for (const email of [first, second]) assert.equal((await service.emails(email)).length, 1)
  })

  test('A list without rows that can be selected does not offer to select all', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const page = await newPage()
    await openSession(page, service, founder.email)
    const selectAll = page.getByRole('button', { name: 'Select all on this page' })
    await page.goto(`/organizations/${founder.organization.slug}/invitations`)
    await page.getByText('No invitations yet').waitFor()
    assert.equal(await selectAll.count(), 0)
    const { invitationId } = await invite(service, founder)
    await page.reload()
    await selectAll.waitFor()
    await founder.client.post('/api/auth/organization/cancel-invitation', { invitationId })
    const held = await holdNext(page, '**/list-invitations*')
    await page.reload()
    await page.getByRole('table', { name: 'Invitations' }).waitFor()
    assert.equal(await selectAll.count(), 0, 'the bar would leave, and move the table')
    held.release()
    await page.getByRole('cell', { name: 'Canceled' }).waitFor()
    assert.equal(await selectAll.count(), 0)
    await page.goto(`/organizations/${founder.organization.slug}/members`)
    await page.getByRole('cell', { name: founder.email }).waitFor()
    assert.equal(await selectAll.count(), 0, 'the only member is the caller')
  })

  test('Sending selected invitations again goes on after the limit of a recipient, and stops at the limit of the user', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    for (let count = 0; count < 2; count += 1) await invite(service, founder)
    const page = await newPage()
    await openSession(page, service, founder.email)
    await page.goto(`/organizations/${founder.organization.slug}/invitations`)
    await page.getByRole('button', { name: 'Select all on this page' }).click()
    for (const [field, requestCount, outcome] of [
      ['email', 2, '0 done, 2 refused. 2 selected.'],
      [undefined, 1, '2 selected.'],
    ] as const) {
      let count = 0
      const letPass = await routeForNow(page, '**/organization/invite-member', (route) => {
        count += 1
        const json = { code: 'TOO_MANY_REQUESTS', message: 'Wait a little.', field }
        return route.fulfill({ status: 429, headers: { 'retry-after': '7200' }, json })
      })
      await page.getByRole('button', { name: 'Send again', exact: true }).click()
      await page.getByRole('alert').getByText('That was one try too many. Try again in 2 hours.').first().waitFor()
      await page.getByText(outcome, { exact: true }).waitFor()
      assert.equal(count, requestCount)
      letPass()
    }
  })

  test('An admin is offered neither to send the invitation of an owner again nor to cancel it', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const inviter = await member(service, founder, 'owner')
    const { email } = await invite(service, inviter, newEmail(), 'owner')
    await founder.client.post('/api/auth/organization/remove-member', { memberIdOrEmail: inviter.email })
    const page = await newPage()
    await openSession(page, service, (await member(service, founder, 'admin')).email)
    await page.goto(`/organizations/${founder.organization.slug}/invitations`)
    await page.getByRole('button', { name: `Open details of ${email}` }).click()
    await page.getByText('Only owners send the invitation of an owner again, or cancel it.').waitFor()
    await page.getByText('its inviter may no longer invite.').waitFor()
    assert.equal(await page.getByText('Send it again').count(), 0)
    assert.equal(await page.getByRole('button', { name: `Send again to ${email}` }).count(), 0)
    assert.equal(await page.getByRole('button', { name: `Cancel… the invitation of ${email}` }).count(), 0)
  })

  test('An admin who selected the invitation of an owner is not offered to change the selected ones', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const [{ email: ofOwner }, { email: ofMember }] = [
      await invite(service, founder, newEmail(), 'owner'),
      await invite(service, founder),
    ]
    const page = await newPage()
    await openSession(page, service, (await member(service, founder, 'admin')).email)
    await page.goto(`/organizations/${founder.organization.slug}/invitations`)
    for (const email of [ofOwner, ofMember]) await page.getByLabel(`Select ${email}`).check()
    await page.getByText('Only owners send the invitation of an owner again, or cancel it.').waitFor()
    for (const name of ['Send again', 'Cancel… the selected invitations'])
      assert.equal(await page.getByRole('button', { name }).count(), 0)
    await page.getByLabel(`Select ${ofOwner}`).uncheck()
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('1 done.').waitFor()
  })

  test('An invitation whose email was not delivered is sent again to the same address', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const { email, invitationId } = await invite(service, founder)
    await service.context.database
      .updateTable('outbox')
      .set({ failedAt: service.context.now(), lastError: UNREADABLE })
      .where('subjectId', '=', invitationId)
      .execute()
    const page = await newPage()
    await openSession(page, service, founder.email)
    await page.goto(`/organizations/${founder.organization.slug}/invitations`)
    await page.getByRole('button', { name: `Open details of ${email}` }).click()
    const events = page.getByRole('list', { name: /^What happened/ })
    await events.getByText("The email can't be decrypted.").waitFor()
    assert.equal(await events.getByText(/refused/).count(), 0)
    await page.getByText('If the address is wrong, correct it first.').waitFor()
    await page.getByRole('button', { name: 'Send again', exact: true }).click()
    await events.getByRole('listitem').nth(2).getByText('Email written').waitFor()
    await page.getByText(`A new link is on its way to ${email}. The old one has stopped working.`).waitFor()
  })

  test('An address that is corrected to an invited one is refused at its field, and both invitations stay as they are', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const wrong = await invite(service, founder)
    const right = await invite(service, founder, newEmail(), 'admin')
    const { database } = service.context
    await database
      .updateTable('outbox')
      .set({ failedAt: service.context.now(), lastError: '550 5.1.1 No such mailbox' })
      .where('subjectId', '=', wrong.invitationId)
      .execute()
    const ids = [wrong.invitationId, right.invitationId]
    const stored = () => database.selectFrom('invitations').selectAll().where('id', 'in', ids).orderBy('id').execute()
    const before = await stored()
    const page = await newPage()
    await openSession(page, service, founder.email)
    await page.goto(`/organizations/${founder.organization.slug}/invitations?open=${wrong.invitationId}`)
    const field = page.getByLabel('Email address', { exact: true })
    await field.fill(right.email)
    await page.getByRole('button', { name: 'Send again', exact: true }).click()
    await page.getByText('This email address is already invited.').waitFor()
    assert.equal(await field.getAttribute('aria-invalid'), 'true')
    assert.deepEqual(await stored(), before)
  })

  for (const [name, fail] of [
    [
      'A correction whose cancellation failed',
      (page: Page) => routeOnce(page, CANCEL, (route) => route.abort('internetdisconnected')),
    ],
    ['A correction whose response was lost', (page: Page) => loseNextResponse(page, '**/organization/invite-member')],
  ] as const)
    test(`${name} can be repeated, and the wrong address has no open invitation then`, async () => {
      const { service, newPage } = pages()
      const founder = await administratorWithOrganization(service)
      const { email, invitationId } = await invite(service, founder)
      const { database } = service.context
      await database
        .updateTable('outbox')
        .set({ failedAt: service.context.now(), lastError: '550 5.1.1 No such mailbox' })
        .where('subjectId', '=', invitationId)
        .execute()
      const page = await newPage()
      await openSession(page, service, founder.email)
      await page.goto(`/organizations/${founder.organization.slug}/invitations?open=${invitationId}`)
      const corrected = newEmail()
      await page.getByLabel('Email address', { exact: true }).fill(corrected)
      await fail(page)
      const send = page.getByRole('button', { name: 'Send again', exact: true })
      await send.click()
      await page.getByRole('alert').waitFor()
      await send.click()
      await page.getByText(`A new link is on its way to ${corrected}. The old one has stopped working.`).waitFor()
      const invitations = database.selectFrom('invitations').select('status').where('email', 'in', [email, corrected])
      const statuses = (await invitations.execute()).map(({ status }) => status)
      assert.deepEqual(statuses.toSorted(), ['canceled', 'pending'])
      assert.equal((await service.emails(corrected)).length, 1)
    })

  for (const place of ['a row', 'selected rows'])
    test(`Send again in ${place} leaves a newer invitation of the address as it is, and shows it`, async () => {
      const { service, newPage } = pages()
      const { database } = service.context
      const founder = await administratorWithOrganization(service)
      const { email, invitationId } = await invite(service, founder, newEmail(), 'admin')
      // A list with a waiting email is loaded again every few seconds.
      await database.updateTable('outbox').set({ sentAt: 1 }).where('subjectId', '=', invitationId).execute()
      const page = await newPage()
      await openSession(page, service, founder.email)
      await page.goto(`/organizations/${founder.organization.slug}/invitations?status=pending&open=${invitationId}`)
      await page.getByLabel(`Select ${email}`).check()
      await founder.client.post('/api/auth/organization/cancel-invitation', { invitationId })
      const newer = await invite(service, founder, email)
      const stored = () =>
        database.selectFrom('invitations').selectAll().where('id', '=', newer.invitationId).executeTakeFirstOrThrow()
      const before = await stored()
      const isRow = place === 'a row'
      const button = page.getByRole('button', { name: isRow ? `Send again to ${email}` : 'Send again', exact: true })
      await button.click()
      const reason = 'Nothing was sent: this invitation has changed or ended'
      if (isRow) {
        await page.getByRole('alert').getByText(reason).waitFor()
        assert.match(await focused(page), /^Send again/)
        await page.reload()
      } else await page.getByText(`${email}: ${reason}`).waitFor()
      await page.getByRole('row').filter({ hasText: email }).getByText('Member', { exact: true }).waitFor()
      assert.deepEqual(await stored(), before)
    })

  test('An owner pastes 60 addresses, sees which are refused and why, and corrects or cancels those', async () => {
    const { service, newPage } = pages()
    const smtp = await startSmtpScript()
    smtp.replies['RCPT TO'] = (line) => (line.includes('wrong-') ? '550 5.1.1 No such mailbox' : undefined)
    const delivery = createDelivery(service.context, parseSmtpUrl(`smtp://127.0.0.1:${smtp.port}`))
    const { database } = service.context
    const isWaiting = () =>
      database
        .selectFrom('outbox')
        .select('id')
        .where('sentAt', 'is', null)
        .where('failedAt', 'is', null)
        .executeTakeFirst()
    const deliverAll = async () => {
      while (await isWaiting()) await delivery.deliverDue()
    }
    try {
      const founder = await administratorWithOrganization(service)
      const page = await newPage({ permissions: ['clipboard-read', 'clipboard-write'] })
      await openSession(page, pages().service, founder.email)
      await page.goto(`/organizations/${founder.organization.slug}/invitations`)
      const pasted = [...ADDRESSES, founder.email].join('\n')
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(pasted)})`)
      await page.getByLabel('Email addresses', { exact: true }).focus()
      await page.keyboard.press('Control+v')
      await page.getByText(`${MANY + 1} entered.`).waitFor()
      await page.getByRole('radio', { name: 'Admin' }).check()
      await page.getByRole('button', { name: 'Send invitations' }).click()
      await page.getByText(`Invitations sent: ${MANY}.`).waitFor({ timeout: 30_000 })
      await page.getByRole('alert').getByText(`${founder.email}: This user is already a member.`).waitFor()
      await page.getByRole('button', { name: `Remove ${founder.email}` }).waitFor()
      await page.getByText(`1 to 50 of ${MANY}`).waitFor()

      await deliverAll()
      const received = new Set(smtp.recipients)
      assert.equal(ADDRESSES.filter((address) => received.has(address)).length, MANY - 3)
      await page.getByLabel('State').selectOption('Not delivered')
      await page.getByText('1 to 3 of 3').waitFor()
      const [first, second, third] = ADDRESSES.filter((address) => address.startsWith('wrong-'))
      await page.getByRole('button', { name: `Open details of ${first}` }).click()
      await page
        .getByRole('list', { name: /^What happened/ })
        .getByText('550 5.1.1 No such mailbox')
        .waitFor()
      const corrected = first?.replace('wrong-', '') ?? ''
      await page.getByLabel('Email address', { exact: true }).fill(corrected)
      await page.getByRole('button', { name: 'Send again' }).click()
      await page.getByText('1 to 2 of 2').waitFor()
      await page.getByText(`A new link is on its way to ${corrected}.`).waitFor()

      await page.getByRole('button', { name: 'Select all on this page' }).click()
      await page.getByText('2 selected.').waitFor()
      await founder.client.post('/api/auth/organization/cancel-invitation', { invitationId: await idOf(second) })
      await page.getByRole('button', { name: 'Cancel… the selected invitations' }).click()
      const named = page.getByRole('list', { name: 'the selected invitations' }).getByRole('listitem')
      assert.deepEqual((await named.allTextContents()).toSorted(), [second, third].toSorted())
      await page.getByRole('button', { name: 'Cancel the selected invitations' }).click()
      await page.getByText('1 done, 1 refused.').waitFor()
      await page.getByRole('alert').getByText(`${second}: `).waitFor()
      await page.getByText('No invitation matches').waitFor()

      await deliverAll()
      await page.getByLabel('State').selectOption('Open')
      await page.getByLabel('Search by email address').fill(corrected)
      await page.getByText('1 to 1 of 1').waitFor()
      await page.getByText('Sent, not opened yet').waitFor()
      assert.deepEqual(await statusesOf([second, third]), ['canceled', 'canceled'])

      async function idOf(address = ''): Promise<string> {
        const query = new URLSearchParams({ organizationId: founder.organization.id, email: address })
        const { body } = await founder.client.get(`/api/auth/organization/list-invitations?${query}`)
        return body.invitations[0].id
      }

      async function statusesOf(addresses: (string | undefined)[]): Promise<string[]> {
        const query = new URLSearchParams({ organizationId: founder.organization.id, email: 'wrong-' })
        const { body } = await founder.client.get(`/api/auth/organization/list-invitations?${query}`)
        const of = new Map(body.invitations.map((one: { email: string; status: string }) => [one.email, one.status]))
        return addresses.map((address) => String(of.get(address)))
      }
    } finally {
      await smtp.close()
    }
  })
})
