import type { Page } from 'playwright-core'
import type { ServiceRole } from '../../server/platform/database/tables.ts'
import { insertTestClient, insertTestConsent } from './oauth-clients.ts'
import type { Scene } from './scene.ts'
import type { Service } from './service.ts'
import { createTestUser, userWithRole } from './staff.ts'
import { administrator, administratorWithOrganization, invite, newEmail, newMember } from './users.ts'
import { heading, openSession } from './visits.ts'

async function asStaff(page: Page, service: Service, role: ServiceRole): Promise<void> {
  const admin = await administrator(service)
  const { email } = role === 'admin' ? admin : await userWithRole(service, admin, role)
  await openSession(page, service, email)
}

async function bannedUser(service: Service): Promise<string> {
  const admin = await administrator(service)
  const userId = await createTestUser(admin, { name: 'Bruno Banned' })
  await admin.client.post('/api/auth/admin/ban-user', { userId, banReason: 'Spam', banExpiresIn: 86_400 })
  return userId
}

/** The pages of the staff, as administrators and as support see them. */
export const staffScenes: Scene[] = [
  {
    name: 'staff: users, selected and searched',
    async show(page, service) {
      await asStaff(page, service, 'admin')
      await page.goto('/staff/users?filter=role:admin')
      await page.getByLabel('Select admin@example.com').check()
      await page.getByRole('button', { name: /^Ban…/ }).click()
      await page.getByRole('button', { name: 'Ban them' }).click()
      await page.getByText('Say why').waitFor()
    },
  },
  {
    name: 'staff: an address without a user',
    async show(page, service) {
      const { email } = await invite(service, await administratorWithOrganization(service))
      await asStaff(page, service, 'support')
      await page.goto(`/staff/users?search=${email}`)
      await page.getByRole('heading', { name: `${email} can’t sign in` }).waitFor()
      await page.getByText('No such user').waitFor()
    },
  },
  {
    name: 'staff: one user, as support',
    async show(page, service) {
      const id = await bannedUser(service)
      await asStaff(page, service, 'support')
      await page.goto(`/staff/users/${id}`)
      await page.getByRole('button', { name: 'Lift the ban' }).click()
      await page.getByText('Lift the ban of').waitFor()
    },
  },
  {
    name: 'staff: one user, as administrator, with a question',
    async show(page, service) {
      const id = await createTestUser(await administrator(service), {})
      await asStaff(page, service, 'admin')
      await page.goto(`/staff/users/${id}`)
      await page.getByRole('button', { name: /^Impersonate…/ }).click()
      await page.getByRole('button', { name: 'Impersonate', exact: true }).click()
      await page.getByText('Say why').waitFor()
    },
  },
  {
    name: 'staff: one user with a long name and a long address, with a question',
    async show(page, service) {
      const email = `${'w'.repeat(60)}@${'w'.repeat(60)}.${newEmail().split('@')[1]}`
      const id = await createTestUser(await administrator(service), { name: 'W'.repeat(100), email })
      await asStaff(page, service, 'admin')
      await page.goto(`/staff/users/${id}`)
      await page.getByRole('button', { name: /^Delete…/ }).click()
      await page.getByLabel(/^Type /).waitFor()
    },
  },
  {
    name: 'staff: the history of a user',
    async show(page, service) {
      const id = await bannedUser(service)
      await asStaff(page, service, 'admin')
      await page.goto(`/staff/users/${id}?tab=history`)
      await page.getByText(/Ada Admin banned Bruno Banned/).click()
    },
  },
  {
    name: 'staff: the apps of a user',
    async show(page, service) {
      const { id } = await newMember(service)
      await insertTestConsent(service, id)
      await asStaff(page, service, 'support')
      await page.goto(`/staff/users/${id}?tab=apps`)
      await page.getByText('user id and email address').waitFor()
      await page.getByText('can sign in').waitFor()
    },
  },
  {
    name: 'staff: apps, one open',
    async show(page, service) {
      const client = await insertTestClient(service, {}, { skipConsent: 1, disabled: 1 })
      await asStaff(page, service, 'admin')
      await page.goto(`/staff/apps?open=${client.id}`)
      await page.getByRole('button', { name: 'Enable Grafana' }).first().waitFor()
      await page.getByLabel('Machine').check()
    },
  },
  {
    name: 'staff: apps, as support',
    async show(page, service) {
      await asStaff(page, service, 'support')
      await page.goto('/staff/apps')
      await page.getByText('Only administrators see the apps').waitFor()
    },
  },
  {
    name: 'staff: creating an organization',
    async show(page, service) {
      await asStaff(page, service, 'admin')
      await page.goto('/staff/organizations')
      await page.getByRole('button', { name: 'Create an organization…' }).click()
      await page.getByRole('button', { name: 'Create and invite' }).click()
      await page.getByText('Enter the name of the organization.').waitFor()
    },
  },
  {
    name: 'staff: organizations and their members',
    async show(page, service) {
      const { organization } = await administratorWithOrganization(service)
      await asStaff(page, service, 'support')
      await page.goto(`/staff/organizations?search=${organization.slug}`)
      await page.getByRole('cell', { name: organization.slug }).waitFor()
      await page.goto(`/staff/organizations/${organization.id}?tab=members`)
      await page.getByRole('cell', { name: 'Owner' }).waitFor()
    },
  },
  {
    name: 'staff: invitations',
    async show(page, service) {
      const { email } = await invite(service, await administratorWithOrganization(service), newEmail())
      await asStaff(page, service, 'support')
      await page.goto(`/staff/invitations?email=${email}`)
      await page.getByRole('cell', { name: email, exact: true }).waitFor()
    },
  },
  {
    name: 'staff: emails',
    async show(page, service) {
      const { email } = await invite(service, await administratorWithOrganization(service), newEmail())
      await asStaff(page, service, 'admin')
      await page.goto(`/staff/emails?recipient=${email}`)
      await page.getByRole('cell', { name: email }).waitFor()
    },
  },
  {
    name: 'staff: the audit log',
    async show(page, service) {
      await asStaff(page, service, 'admin')
      await page.goto('/staff/audit')
      await page.getByRole('row').nth(1).getByRole('group').click()
      await heading(page, 'Audit log')
    },
  },
  {
    name: 'staff: the overview',
    async show(page, service) {
      const { slug } = (await administratorWithOrganization(service)).organization
      await (await administrator(service)).client.get(`/api/token?org=${slug}`)
      await asStaff(page, service, 'admin')
      await page.goto('/staff')
      await page.getByText('Show as a table').first().click()
      await page.getByRole('heading', { name: 'Needs you' }).waitFor()
    },
  },
  {
    name: 'staff: the system',
    async show(page, service) {
      await asStaff(page, service, 'admin')
      await page.goto('/staff/system')
      await page.getByText('All checks pass').waitFor()
    },
  },
  {
    name: 'staff: used limits, as support',
    async show(page, service) {
      const email = newEmail()
      await createTestUser(await administrator(service), { email })
      const { client } = service
      for (let count = 0; count < 11; count += 1)
        await client().post('/api/auth/sign-in/email', { email, password: 'not the right one' })
      // The page knows the address from the events of these sign-ins.
      await service.context.repeatedEvents.save()
      await asStaff(page, service, 'support')
      await page.goto('/staff/system')
      await page.getByRole('cell', { name: email }).waitFor()
    },
  },
]
