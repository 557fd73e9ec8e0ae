import type { Page } from 'playwright-core'
import { DEVICE_CODE_GRANT } from '../../server/core/oauth-clients/metadata.ts'
import { insertTestClient } from './oauth-clients.ts'
import { authorizationRequest, REDIRECT_URI } from './openid.ts'
import type { Scene } from './scene.ts'
import type { Service } from './service.ts'
import { enableTotp } from './two-step.ts'
import { administratorWithOrganization, joinOrganization, newMember, type TestUser } from './users.ts'
import { heading, openSession } from './visits.ts'

const SCOPE = 'openid profile email organization offline_access'
const SIGNED_OUT_URI = 'https://app.example.com/bye'

const newClient = (service: Service) =>
  insertTestClient(service, {
    redirect_uris: [REDIRECT_URI],
    post_logout_redirect_uris: [SIGNED_OUT_URI],
    scope: SCOPE,
    policy_uri: 'https://app.example.com/privacy',
    tos_uri: 'https://app.example.com/terms',
  })

/** Opens the page on which a new client asks a signed-in member of two organizations. */
async function authorize(page: Page, service: Service, parameters: Record<string, string>): Promise<TestUser> {
  const user = await newMember(service)
  await joinOrganization(service, user, await administratorWithOrganization(service))
  await openSession(page, service, user.email)
  const { path } = await authorizationRequest(await newClient(service), parameters)
  await page.goto(path)
  return user
}

const expired = (path: string): Scene => ({
  name: `${path} that has expired`,
  async show(page) {
    await page.goto(path)
    await heading(page, 'This sign-in has expired')
  },
})

/** The pages that apps and devices lead to. */
export const appScenes: Scene[] = [
  expired('/second-step'),
  {
    name: 'sign-in again, for an app',
    async show(page, service) {
      await authorize(page, service, { prompt: 'login' })
      await heading(page, 'Confirm that it’s you')
    },
  },
  {
    name: 'an organization for an app, then consent',
    async show(page, service) {
      await authorize(page, service, { scope: SCOPE })
      const list = page.getByRole('list', { name: 'Your organizations' })
      await list.getByRole('button').first().click()
      await page.getByRole('button', { name: 'Don’t allow' }).waitFor()
    },
  },
  {
    name: 'the choice of an organization for an app',
    async show(page, service) {
      await authorize(page, service, { scope: SCOPE })
      await heading(page, 'Choose an organization')
    },
  },
  {
    name: 'setup of two-step verification for an app',
    async show(page, service) {
      await authorize(page, service, { scope: 'openid', acr_values: 'urn:accounts:two-step' })
      await page.getByLabel('Your password', { exact: true }).waitFor()
    },
  },
  {
    name: 'second step for an app',
    async show(page, service) {
      const user = await authorize(page, service, { scope: 'openid', acr_values: 'urn:accounts:two-step' })
      await enableTotp(service, user)
      await page.reload()
      await page.getByLabel('Code of your authenticator app').waitFor()
    },
  },
  {
    name: 'device, code typed wrongly',
    async show(page, service) {
      await openSession(page, service, (await administratorWithOrganization(service)).email)
      await page.goto('/device?user_code=BCDF')
      await page.getByRole('button', { name: 'Go on' }).click()
      await page.getByText('The code has 8 letters.').waitFor()
    },
  },
  {
    name: 'device that asks for an organization',
    async show(page, service) {
      await authorize(page, service, { prompt: 'login' })
      const metadata = { grant_types: [DEVICE_CODE_GRANT], response_types: [], redirect_uris: [], scope: SCOPE }
      const { id } = await insertTestClient(service, metadata)
      const started = await page.request.post('/api/auth/device/code', { form: { client_id: id, scope: SCOPE } })
      await page.goto((await started.json()).verification_uri_complete)
      await page.getByRole('button', { name: 'Go on' }).click()
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByText('Choose the organization that the device works for.').waitFor()
    },
  },
  {
    name: 'log-out that an app asks for',
    async show(page, service) {
      await authorize(page, service, { prompt: 'login' })
      await page.goto(`/api/auth/oauth2/end-session?client_id=${(await newClient(service)).id}`)
      await heading(page, 'Sign out?')
    },
  },
  {
    name: 'an app that the service does not know',
    async show(page) {
      await page.goto((await authorizationRequest({ id: 'cli_unknown' })).path)
      await heading(page, 'The app’s request can’t go on')
    },
  },
  {
    name: 'an error of an app that registered itself',
    async show(page, service) {
      await page.goto((await authorizationRequest(await newClient(service), { prompt: 'none' })).path)
      await page.getByRole('link', { name: 'go on to https://app.example.com' }).waitFor()
    },
  },
  {
    name: 'log-out that an app asks for, in a browser without a session',
    async show(page, service) {
      const { id } = await newClient(service)
      const query = new URLSearchParams({ client_id: id, post_logout_redirect_uri: SIGNED_OUT_URI })
      await page.goto(`/api/auth/oauth2/end-session?${query}`)
      await page.getByRole('link', { name: 'go on to https://app.example.com' }).waitFor()
    },
  },
]
