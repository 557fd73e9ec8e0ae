import type { Scene } from './scene.ts'
import { administratorWithOrganization, invite, member, newEmail, newMember } from './users.ts'
import { heading, openSession } from './visits.ts'

/** The pages of organizations, with rows in their lists, and with open questions. */
export const organizationScenes: Scene[] = [
  {
    name: 'a new organization, with a taken address',
    async show(page, service) {
      const { organization } = await administratorWithOrganization(service)
      await openSession(page, service, (await newMember(service)).email)
      await page.goto('/organizations/new')
      await page.getByLabel('Name', { exact: true }).fill('Example Works')
      await page.getByLabel('Short name in addresses').fill(organization.slug)
      await page.getByText('belongs to another organization').waitFor()
    },
  },
  {
    name: "a new organization, with the address of the user's own",
    async show(page, service) {
      const { email, organization } = await newMember(service)
      await openSession(page, service, email)
      await page.goto('/organizations/new')
      await page.getByLabel('Name', { exact: true }).fill('Example Works')
      await page.getByLabel('Short name in addresses').fill(organization.slug)
      await page.getByText('has this short name.').waitFor()
    },
  },
  {
    name: 'overview of an organization',
    async show(page, service) {
      const { email, client, organization } = await administratorWithOrganization(service)
      await client.post('/api/auth/api-key/create', {
        name: 'Export',
        expiresIn: 86_400,
        organizationId: organization.id,
      })
      await openSession(page, service, email)
      await page.goto(`/organizations/${organization.slug}`)
      await page.getByText('An API key expires soon').waitFor()
      await page.getByText('You created the API key').waitFor()
    },
  },
  {
    name: 'members of an organization',
    async show(page, service) {
      const first = await administratorWithOrganization(service)
      const { email } = await member(service, first)
      await openSession(page, service, first.email)
      await page.goto(`/organizations/${first.organization.slug}/members`)
      const row = page.getByRole('row').filter({ hasText: email })
      await row.getByRole('combobox').selectOption('admin')
      await row.getByRole('button', { name: 'Undo' }).waitFor()
      await row.getByRole('checkbox').check()
      await row.getByRole('button', { name: 'Remove' }).click()
      await page.getByRole('button', { name: 'Remove this member' }).waitFor()
    },
  },
  {
    name: 'invitations of an organization, one not delivered',
    async show(page, service) {
      const first = await administratorWithOrganization(service)
      const { email, invitationId } = await invite(service, first)
      const failure = { failedAt: service.context.now(), lastError: '550 5.1.1 No such mailbox' }
      await service.context.database.updateTable('outbox').set(failure).where('subjectId', '=', invitationId).execute()
      await openSession(page, service, first.email)
      await page.goto(`/organizations/${first.organization.slug}/invitations?open=${invitationId}`)
      await page.getByText('550 5.1.1').waitFor()
      await page.getByLabel('Email addresses', { exact: true }).fill(`${email}, no-address, ${newEmail()}`)
      await page.getByLabel('Email addresses', { exact: true }).press('Enter')
      await page.getByText('What the email says').click()
      await page.getByText('Invitation to Example Works').waitFor()
      await page.getByRole('button', { name: 'Send invitations' }).click()
      await page.getByText('Correct or remove no-address').waitFor()
      await page.getByRole('button', { name: 'Remove no-address' }).click()
      await page.getByRole('button', { name: 'Send invitations' }).click()
      await page.getByText('One address is not invited').waitFor()
    },
  },
  {
    name: 'API keys of an organization',
    async show(page, service) {
      const first = await administratorWithOrganization(service)
      const leaver = await member(service, first, 'admin')
      const { organization } = first
      const { body } = await leaver.client.post('/api/auth/api-key/create', {
        name: 'Export'.repeat(16),
        organizationId: organization.id,
      })
      await leaver.client.post('/api/auth/organization/leave', { organizationId: organization.id })
      await openSession(page, service, first.email)
      await page.goto(`/organizations/${organization.slug}/api-keys?open=${body.id}`)
      await page.getByRole('button', { name: 'Delete…' }).click()
      await page.getByRole('button', { name: 'Rotate…' }).click()
      await page.getByRole('button', { name: 'Rotate this API key' }).waitFor()
    },
  },
  {
    name: 'a new API key',
    async show(page, service) {
      const { email, organization } = await administratorWithOrganization(service)
      await openSession(page, service, email)
      await page.goto(`/organizations/${organization.slug}/api-keys`)
      await page.getByLabel('Name', { exact: true }).fill('Export')
      await page.getByRole('button', { name: 'Create API key' }).click()
      await page.getByText('I have stored the key').waitFor()
    },
  },
  {
    name: 'apps of an organization, one open with questions',
    async show(page, service) {
      const { email, client, organization } = await administratorWithOrganization(service)
      const { body } = await client.post('/api/auth/oauth2/create-client', {
        client_name: 'Graphs',
        redirect_uris: ['https://graphs.example.com/callback'],
      })
      await openSession(page, service, email)
      await page.goto(`/organizations/${organization.slug}/apps?open=${body.client_id}`)
      await page.getByRole('button', { name: 'Delete… Graphs' }).click()
      await page.getByRole('button', { name: 'Disable… Graphs' }).click()
      await page.getByRole('button', { name: 'Replace the secret… Graphs' }).click()
      await page.getByRole('button', { name: 'Connect the app' }).click()
      await page.getByText('Enter the name of the app.').waitFor()
    },
  },
  {
    name: 'a new app of an organization, with its secret',
    async show(page, service) {
      const { email, organization } = await administratorWithOrganization(service)
      await openSession(page, service, email)
      await page.goto(`/organizations/${organization.slug}/apps`)
      await page.getByLabel('Name', { exact: true }).fill('Graphs')
      await page.getByLabel('Redirect URIs').fill('https://graphs.example.com/callback')
      await page.getByRole('button', { name: 'Connect the app' }).click()
      await page.getByText('I have stored it').waitFor()
    },
  },
  {
    name: 'settings of an organization',
    async show(page, service) {
      const first = await administratorWithOrganization(service, { 'client-code': 'W-1' })
      await member(service, first)
      await openSession(page, service, first.email)
      await page.goto(`/organizations/${first.organization.slug}/settings`)
      await page.getByLabel('Short name in addresses').fill(`${first.organization.slug}-2`)
      await page.getByText('This breaks:').waitFor()
      await page.getByRole('button', { name: 'Transfer… ' }).waitFor()
      await page.getByRole('button', { name: 'Delete… ' }).click()
      await page.getByRole('button', { name: 'Delete this organization' }).click()
      await page.getByText('exactly so').waitFor()
    },
  },
  {
    name: 'settings of an organization, for a member',
    async show(page, service) {
      const { email, organization } = await newMember(service)
      await openSession(page, service, email)
      await page.goto(`/organizations/${organization.slug}/settings`)
      await page.getByText('Only owners and admins do this.').first().waitFor()
    },
  },
  {
    name: 'an organization of others',
    async show(page, service) {
      const { organization } = await administratorWithOrganization(service)
      await openSession(page, service, (await newMember(service)).email)
      await page.goto(`/organizations/${organization.slug}/members`)
      await heading(page, 'You are not a member here')
    },
  },
]
