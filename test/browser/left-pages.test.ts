import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser } from '../support/pages.ts'
import { randomLetters } from '../support/random-letters.ts'
import { holdNext, routeOnce } from '../support/route-once.ts'
import type { Service } from '../support/service.ts'
import {
  administrator,
  administratorWithOrganization,
  member,
  newEmail,
  newMember,
  PASSWORD,
  type TestMember,
} from '../support/users.ts'
import { heading, openSession, waitForFrames } from '../support/visits.ts'

interface Change {
  name: string
  /** The request that makes the change. */
  request: string
  /** The steps of a user, up to the click that sends the request. */
  send: (page: Page, service: Service) => Promise<void>
  /** What the user must learn on every page. */
  notice?: string
}

const WORKING_KEY = 'API keys that they created still work: Nightly export.'

const CHANGES: Change[] = [
  {
    name: 'a new organization',
    request: '**/organization/create',
    async send(page, service) {
      await openSession(page, service, (await administrator(service)).email)
      await page.goto('/organizations/new')
      await page.getByLabel('Name', { exact: true }).fill(`Works ${randomLetters()}`)
      await page.getByRole('button', { name: 'Create organization' }).click()
    },
  },
  {
    name: 'another address of an organization',
    request: '**/organization/update',
    async send(page, service) {
      const slug = await openSettings(page, service, await administratorWithOrganization(service))
      await page.getByLabel('Short name in addresses').fill(`${slug}-new`)
      await page.getByRole('button', { name: 'Change the address' }).click()
    },
  },
  {
    name: 'the deletion of an organization',
    request: '**/organization/delete',
    notice: 'Example Works is deleted.',
    async send(page, service) {
      const slug = await openSettings(page, service, await administratorWithOrganization(service))
      await page.getByRole('button', { name: 'Delete… Example Works' }).click()
      await page.getByLabel(`Type ${slug} to go on`).fill(slug)
      await page.getByRole('button', { name: 'Delete this organization' }).click()
    },
  },
  {
    name: 'the end of a membership',
    request: '**/organization/leave',
    notice: 'You left Example Works. API keys that you created still work: Nightly export.',
    async send(page, service) {
      await openSettings(page, service, await newKeyHolder(service))
      await page.getByRole('button', { name: 'Leave… Example Works' }).click()
      await page.getByRole('button', { name: 'Leave this organization' }).click()
    },
  },
  {
    name: 'an organization for another user',
    request: '**/admin/create-organization',
    async send(page, service) {
      await openSession(page, service, (await administrator(service)).email)
      await page.goto('/staff/organizations')
      await page.getByRole('button', { name: 'Create an organization…' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Bakery of Berta')
      await page.getByLabel('Short name in addresses').fill(`bakery-${randomLetters()}`)
      await page.getByLabel('Email address of the owner').fill(newEmail())
      await page.getByRole('button', { name: 'Create and invite' }).click()
    },
  },
  {
    name: 'the deletion of a user',
    request: '**/admin/remove-user',
    notice: 'Hilda Hire is deleted. API keys that they created still work: Nightly export (Example Works).',
    async send(page, service) {
      const { id, email } = await newKeyHolder(service)
      await openSession(page, service, (await administrator(service)).email)
      await page.goto(`/staff/users/${id}`)
      await page.getByRole('button', { name: `Delete… ${email}` }).click()
      await page.getByLabel(/^Type /).fill(email)
      await page.getByRole('button', { name: 'Delete this user' }).click()
    },
  },
  {
    name: 'the removal of a member',
    request: '**/organization/remove-member',
    notice: `Hilda Hire is removed. ${WORKING_KEY}`,
    async send(page, service) {
      await openMembers(page, service)
      await page.getByRole('button', { name: 'Remove… Hilda Hire' }).click()
      await page.getByRole('button', { name: 'Remove this member' }).click()
    },
  },
  {
    name: 'the removal of the selected members',
    request: '**/organization/remove-member',
    notice: `Hilda Hire is removed. ${WORKING_KEY}`,
    async send(page, service) {
      await openMembers(page, service)
      await page.getByLabel('Select Hilda Hire').check()
      await page.getByRole('button', { name: 'Remove… the selected members' }).click()
      await page.getByRole('button', { name: 'Remove the selected members' }).click()
    },
  },
  {
    name: 'invitations of which one is refused',
    request: '**/organization/invite-members',
    notice: 'Not invited to Example Works: admin@example.com.',
    async send(page, service) {
      const { email, organization } = await administratorWithOrganization(service)
      await openSession(page, service, email)
      await page.goto(`/organizations/${organization.slug}/invitations`)
      await page.getByRole('textbox', { name: 'Email addresses' }).fill(`admin@example.com, ${newEmail()}`)
      await page.getByRole('button', { name: 'Send invitations' }).click()
    },
  },
]

inBrowser('Pages that the user leaves while a request is sent', (pages) => {
  for (const { name, request, send, notice } of CHANGES) {
    const reads = notice === undefined ? '' : ' and reads the notice'
    test(`A user who has gone to another page stays there${reads} when the response comes: ${name}`, async () => {
      const { service, newPage } = pages()
      const page = await newPage()
      const held = await holdNext(page, request)
      await send(page, service)
      await held.sent
      await page.getByRole('link', { name: 'Security', exact: true }).click()
      await heading(page, 'Security')
      held.release()
      const device = page.getByText('This device', { exact: true })
      await device.waitFor()
      assert.equal(new URL(page.url()).pathname, '/account/security')
      if (notice === undefined) return
      await page.getByText(notice, { exact: true }).waitFor()
      await page.reload()
      await device.waitFor()
      assert.equal(await page.getByText(notice).count(), 0)
    })
  }

  test('What the user types on another page stays while the page of a removed member loads again', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    await member(service, founder)
    const page = await newPage()
    await openSession(page, service, founder.email)
    await page.goto(`/organizations/${founder.organization.slug}/members`)
    await page.getByRole('button', { name: 'Remove… Hilda Hire' }).click()
    const held = await holdNext(page, '**/organization/get-overview*')
    await page.getByRole('button', { name: 'Remove this member' }).click()
    await held.sent
    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    const field = page.getByLabel('Name', { exact: true })
    await field.fill('Second Works')
    const loaded = page.waitForResponse('**/organization/get-overview*')
    held.release()
    await (await loaded).finished()
    await waitForFrames(page)
    assert.equal(await field.inputValue(), 'Second Works')
  })

  test('The question about another member stays open when the removal of a member is done', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    for (const name of ['Mia First', 'Max Second']) {
      const { id } = await member(service, founder)
      await service.context.database.updateTable('users').set({ name }).where('id', '=', id).execute()
    }
    const page = await newPage()
    await openSession(page, service, founder.email)
    await page.goto(`/organizations/${founder.organization.slug}/members`)
    const held = await holdNext(page, '**/organization/remove-member')
    await page.getByRole('button', { name: 'Remove… Mia First' }).click()
    await page.getByRole('button', { name: 'Remove this member' }).click()
    await held.sent
    await page.getByRole('button', { name: 'Remove… Max Second' }).click()
    const deletesKeys = page.getByLabel('Also delete API keys')
    await deletesKeys.check()
    held.release()
    await page.getByText('Mia First is removed.').waitFor()
    await page.getByRole('cell', { name: 'Mia First', exact: true }).waitFor({ state: 'detached' })
    await waitForFrames(page)
    assert.ok(await deletesKeys.isChecked())
  })

  test('A row stays open while its change is sent, so that it does not look canceled', async () => {
    const { service, newPage } = pages()
    const page = await newPage()
    await openMembers(page, service)
    const held = await holdNext(page, '**/organization/remove-member')
    await page.getByRole('button', { name: 'Remove… Hilda Hire' }).click()
    await page.getByRole('button', { name: 'Remove this member' }).click()
    await held.sent
    const close = page.getByRole('button', { name: 'Close Hilda Hire' })
    assert.ok(await close.isDisabled())
    await close.click({ force: true })
    assert.equal(await page.getByText('Removing…').count(), 1)
    held.release()
    await page.getByText('Hilda Hire is removed.').waitFor()
  })

  test('A setting that the user opens while another one is sent stays open when the response comes', async () => {
    const { service, newPage } = pages()
    const page = await newPage()
    await openSession(page, service, (await newMember(service)).email)
    await page.goto('/account/security#email')
    const held = await holdNext(page, '**/change-email')
    await page.getByLabel('New email address').fill(newEmail())
    await page.getByRole('button', { name: 'Change address' }).click()
    await held.sent
    await page.getByRole('button', { name: 'Change your password' }).click()
    const password = page.getByLabel('Current password', { exact: true })
    await password.fill('typed during the request')
    held.release()
    await page.getByText('Look in the new mailbox').waitFor()
    await waitForFrames(page)
    assert.equal(await password.inputValue(), 'typed during the request')
  })

  test('A user who has left a form, a row or a button reads why its change failed', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const hire = await member(service, founder)
    const page = await newPage()
    await openSession(page, service, founder.email)
    const refuse = async (path: string, send: () => Promise<unknown>, leave: () => Promise<unknown>) => {
      const [sent, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      await routeOnce(page, path, async (route) => {
        sent.resolve()
        await left.promise
        await route.fulfill({ status: 429, json: { code: 'TOO_MANY_REQUESTS', message: 'Too many tries.' } })
      })
      await send()
      await sent.promise
      await leave()
      left.resolve()
    }
    const reads = (label: string) =>
      page.getByRole('alert').getByText(`${label}: That was one try too many. Try again in a moment.`).waitFor()
    const toSecurity = async () => {
      await page.getByRole('link', { name: 'Security', exact: true }).click()
      await heading(page, 'Security')
    }

    await page.goto(`/organizations/${founder.organization.slug}/members`)
    await refuse('**/update-member-role', () => page.getByLabel('Role of Hilda Hire').selectOption('admin'), toSecurity)
    await reads('Role of Hilda Hire')

    await page.getByRole('button', { name: 'Change your password' }).click()
    await page.getByLabel('Current password', { exact: true }).fill(PASSWORD)
    await page.getByLabel('New password', { exact: true }).fill('plover cabinet tremble 88')
    await refuse(
      '**/change-password',
      () => page.getByRole('button', { name: 'Change password' }).click(),
      () => page.getByRole('button', { name: 'Change your email address' }).click(),
    )
    await reads('Change password')

    await page.goto(`/staff/users/${hire.id}`)
    await page.getByRole('button', { name: /^Ban…/ }).click()
    await page.getByLabel('Reason').fill('Spam')
    await refuse(
      '**/ban-user',
      () => page.getByRole('button', { name: 'Ban', exact: true }).click(),
      () => page.getByRole('link', { name: 'Sessions', exact: true }).click(),
    )
    await reads('Ban')
    await page.getByRole('button', { name: 'Close the notice' }).click()
    await page.getByRole('alert').waitFor({ state: 'detached' })

    await page.goto('/staff/emails')
    await refuse(
      '**/send-test-email',
      () => page.getByRole('button', { name: 'Send a test email' }).click(),
      toSecurity,
    )
    await reads('Your last action')
  })

  test('A user who has left a bulk change reads which row was refused', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    for (let count = 0; count < 3; count += 1) await member(service, founder)
    const page = await newPage()
    await openSession(page, service, founder.email)
    await page.goto(`/organizations/${founder.organization.slug}/members`)
    await page.getByRole('button', { name: 'Select all on this page' }).click()
    await page.getByRole('button', { name: 'Remove… the selected members' }).click()
    const left = Promise.withResolvers<void>()
    const refusals = [1, 2]
    await page.route('**/remove-member', async (route) => {
      await left.promise
      if (refusals.pop() === undefined) return route.fallback()
      await route.fulfill({ status: 400, json: { code: 'MEMBER_NOT_FOUND', message: 'There is no such member.' } })
    })
    await page.getByRole('button', { name: 'Remove the selected members' }).click()
    await page.getByRole('link', { name: 'Security', exact: true }).click()
    await heading(page, 'Security')
    left.resolve()
    const problem = page.getByRole('alert').getByText('Also refused: 1 more.')
    await problem.waitFor()
    assert.match((await problem.textContent()) ?? '', /^Hilda Hire \(.*\): There is no such member\./)
  })

  test('A search that waits for a pause in the typing does not lead back to its page', async () => {
    const { service, newPage } = pages()
    const page = await newPage()
    await page.clock.install()
    await openSession(page, service, (await administrator(service)).email)
    await page.goto('/staff/users')
    await page.getByRole('cell', { name: 'admin@example.com', exact: true }).waitFor()
    const held = await holdNext(page, '**/assets/pages-*.js')
    await page.clock.pauseAt(Date.now() + 60_000)
    await page.getByLabel('Name, email address or id').fill('ada')
    await page.getByRole('link', { name: 'Security', exact: true }).click()
    await held.sent
    await page.clock.runFor(1000)
    assert.equal(new URL(page.url()).pathname, '/account/security')
    held.release()
    await page.clock.resume()
    await heading(page, 'Security')
  })
})

/** A member who has created an API key of the organization. */
async function newKeyHolder(service: Service): Promise<TestMember> {
  const holder = await newMember(service, 'admin')
  const key = { name: 'Nightly export', organizationId: holder.organization.id }
  assert.equal((await holder.client.post('/api/auth/api-key/create', key)).status, 200)
  return holder
}

/** Opens the members of an organization whose admin has created an API key. */
async function openMembers(page: Page, service: Service): Promise<void> {
  const { organization } = await newKeyHolder(service)
  await openSession(page, service, (await administrator(service)).email)
  await page.goto(`/organizations/${organization.slug}/members`)
}

/** @returns the slug of the organization */
async function openSettings(page: Page, service: Service, member: TestMember): Promise<string> {
  const { slug } = member.organization
  await openSession(page, service, member.email)
  await page.goto(`/organizations/${slug}/settings`)
  return slug
}
