import { appScenes } from './app-scenes.ts'
import { newVirtualAuthenticator } from './browser.ts'
import { insertTestConsent } from './oauth-clients.ts'
import { organizationScenes } from './organization-scenes.ts'
import { addPasskey, userWithPasskey } from './passkeys.ts'
import type { Scene } from './scene.ts'
import { staffScenes } from './staff-scenes.ts'
import { twoStepScenes } from './two-step-scenes.ts'
import {
  administrator,
  administratorWithOrganization,
  invite,
  linkIn,
  member,
  newEmail,
  newMember,
  PASSWORD,
  signedIn as signedInUser,
} from './users.ts'
import { fillSignIn, heading, impersonate, loaded, openAccount, openEmail, openSession } from './visits.ts'

const plain = (path: string, title: string | RegExp): Scene => ({
  name: path,
  async show(page) {
    await page.goto(path)
    await heading(page, title)
  },
})

const signedIn = (path: string, title: string): Scene => ({
  name: path,
  async show(page, service) {
    await openSession(page, service, (await administratorWithOrganization(service)).email)
    await page.goto(path)
    await loaded(page, title)
  },
})

/** Every page: with rows in its lists, with invalid forms, and with refusals. */
export const everyPage: Scene[] = [
  {
    name: '/',
    async show(page, service) {
      await administrator(service)
      await page.goto('/')
      await heading(page, 'Sign in')
    },
  },
  plain('/sign-in', 'Sign in'),
  plain('/forgot-password', 'Forgot your password?'),
  plain('/reset-password', 'This link doesn’t work'),
  plain('/reset-password#token=x', 'This link doesn’t work'),
  {
    name: 'a new password, and two passkeys',
    async show(page, service) {
      const { email, passkeyId } = await userWithPasskey(service)
      await addPasskey(service, await signedInUser(service, email))
      const older = { name: 'The laptop in the kitchen', createdAt: service.context.now() - 400 * 86_400_000 }
      await service.context.database.updateTable('passkeys').set(older).where('id', '=', passkeyId).execute()
      await service.client().post('/api/auth/request-password-reset', { email })
      await page.goto(await linkIn(service, email))
      await page.getByRole('button', { name: 'Save password' }).click()
      await page.getByText('Choose a password.').waitFor()
    },
  },
  plain('/verify-email#token=x', 'Verify your email address'),
  plain('/verify-email', 'Verify your email address'),
  plain('/change-email#token=x', 'Change your email address'),
  plain('/undo-change-email#token=x', 'Undo the change of your email address?'),
  {
    name: 'a change of the email address',
    async show(page, service) {
      const { client } = await newMember(service)
      const next = newEmail()
      await client.post('/api/auth/change-email', { newEmail: next })
      await page.goto(await linkIn(service, next))
      await page.getByText(next).waitFor()
    },
  },
  plain('/delete-account#token=x', 'Delete your account?'),
  plain('/setup', 'Set up Accounts'),
  plain('/setup#x', 'Set up Accounts'),
  {
    name: '/setup after the setup',
    async show(page, service) {
      await administrator(service)
      await page.goto('/setup#x')
      await page.getByLabel('Your name').fill('Ada Admin')
      await page.getByRole('textbox', { name: 'Email address' }).fill(newEmail())
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Create administrator' }).click()
      await heading(page, 'Accounts is set up')
    },
  },
  plain('/sign-up', 'Sign-up is by invitation'),
  plain('/invitation?error=INVITATION_EXPIRED', 'This invitation has expired'),
  plain('/no-such-page', 'There is no such page'),
  plain('/sign-in?next=https://unknown.example.com', 'We can’t send you back there'),
  signedIn('/account', 'Your account'),
  {
    name: 'account with an invitation, and a suggested passkey',
    async show(page, service) {
      const { email } = await newMember(service)
      await invite(service, await administratorWithOrganization(service), email)
      await newVirtualAuthenticator(page)
      await openAccount(page, service, email)
      await page.getByRole('button', { name: 'Not now' }).waitFor()
      await page.getByRole('main').getByRole('button', { name: 'Decline' }).waitFor()
    },
  },
  signedIn('/account/security', 'Security'),
  {
    name: 'apps with access, and a question',
    async show(page, service) {
      const { email, id } = await newMember(service)
      await openSession(page, service, email)
      await insertTestConsent(service, id, {
        metadata: { client_name: 'Charts', client_uri: 'https://charts.example.com/' },
      })
      await page.goto('/account/security#apps')
      await page.getByRole('button', { name: 'End access… Charts' }).click()
      await page.getByText('End the access of').waitFor()
    },
  },
  ...organizationScenes,
  ...staffScenes,
  ...twoStepScenes,
  ...appScenes,
  {
    name: 'palette',
    async show(page, service) {
      await openAccount(page, service, (await administrator(service)).email)
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').getByRole('textbox').fill('admin')
      await page.getByRole('dialog').getByRole('link', { name: 'admin@example.com' }).waitFor()
    },
  },
  {
    name: 'signed out in mid-work',
    async show(page, service) {
      const { email } = await newMember(service)
      await openAccount(page, service, email)
      await (await signedInUser(service, email)).client.post('/api/auth/revoke-other-sessions')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'a session that can’t be loaded',
    async show(page, service) {
      await openSession(page, service, (await newMember(service)).email)
      await page.route('**/api/auth/get-session', (route) =>
        route.fulfill({ status: 429, json: { code: 'TOO_MANY_REQUESTS', message: 'Too many tries.' } }),
      )
      await page.goto('/account')
      await heading(page, 'This page could not be loaded')
      await page.getByRole('button', { name: 'Try again' }).waitFor()
    },
  },
  {
    name: 'impersonation, and no network',
    async show(page, service) {
      const { id } = await newMember(service)
      await openAccount(page, service, (await administrator(service)).email)
      await impersonate(page, id)
      await page.goto('/account')
      await page.getByText('You are impersonating').waitFor()
      await loaded(page, 'Your account')
      await page.context().setOffline(true)
      await page.getByText('You are offline').waitFor()
    },
  },
  plain('/api/auth/reference', 'API reference'),
  {
    name: '/api/auth/reference, one call open',
    async show(page) {
      await page.goto('/api/auth/reference#post-api-auth-sign-in-email')
      await page.getByText('rememberMe').first().waitFor()
    },
  },
  {
    name: 'sign-in refused',
    async show(page) {
      await page.goto('/sign-in')
      await fillSignIn(page, newEmail(), 'a wrong guess')
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'reset email requested',
    async show(page) {
      await page.goto('/forgot-password')
      await page.getByRole('textbox', { name: 'Email address' }).fill(newEmail())
      await page.getByRole('button', { name: 'Send link' }).click()
      await heading(page, 'Look in your mailbox')
    },
  },
  {
    name: 'mailbox',
    async show(page, service) {
      const { email } = await invite(service, await administratorWithOrganization(service))
      await openEmail(page, email)
      await page.frameLocator('iframe').getByRole('link', { name: 'See the invitation' }).waitFor()
    },
  },
  {
    name: 'sign-up, filled wrongly',
    async show(page, service) {
      await page.goto((await invite(service, await administratorWithOrganization(service))).linkPath)
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.getByText('Choose a password.').waitFor()
    },
  },
  {
    name: 'welcome',
    async show(page, service) {
      await page.goto((await invite(service, await administratorWithOrganization(service))).linkPath)
      await page.getByLabel('Your name').fill('Hilda Hire')
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Create account' }).click()
      await heading(page, 'Welcome to Example Works')
    },
  },
  {
    name: 'invitation for another address',
    async show(page, service) {
      await openSession(page, service, (await administrator(service)).email)
      await page.goto((await invite(service, await administratorWithOrganization(service))).linkPath)
      await heading(page, 'This invitation is for another address')
    },
  },
  {
    name: 'step-up by password',
    async show(page, service) {
      await openSession(page, service, (await administratorWithOrganization(service)).email)
      await page.goto('/account/security#email')
      await page.getByText('This device', { exact: true }).waitFor()
      await page.getByLabel('New email address').fill(newEmail())
      service.advance(16 * 60_000)
      await page.getByRole('button', { name: 'Change address' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'a new password, rated',
    async show(page, service) {
      await openSession(page, service, (await newMember(service)).email)
      await page.goto('/account/security#password')
      await page.getByLabel('New password', { exact: true }).fill('Summer2026!')
      await page.getByText('Easy to guess. Add').waitFor()
    },
  },
  {
    name: 'account deletion, prevented',
    async show(page, service) {
      const first = await administratorWithOrganization(service)
      await member(service, first)
      await openSession(page, service, first.email)
      await page.goto('/account/security#deletion')
      await page.getByText('can’t be deleted yet').waitFor()
    },
  },
  {
    name: 'account deletion',
    async show(page, service) {
      const { email } = await newMember(service)
      await openSession(page, service, email)
      await page.goto('/account/security')
      await page.getByRole('button', { name: 'Delete my account…' }).click()
      await page.getByRole('button', { name: 'Send me the link' }).scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'passkeys',
    async show(page, service) {
      const { email } = await newMember(service)
      await openAccount(page, service, email)
      await newVirtualAuthenticator(page)
      await page.goto('/account/security')
      await page.getByRole('button', { name: 'Add a passkey' }).click()
      await page.getByRole('button', { name: /^Rename/ }).waitFor()
      await newVirtualAuthenticator(page, { transport: 'usb' })
      await page.getByRole('button', { name: 'Add a passkey' }).click()
      await page
        .getByRole('button', { name: /^Rename/ })
        .nth(1)
        .click()
      await page.getByLabel('Name of the passkey').waitFor()
    },
  },
  {
    name: 'sign-up with a passkey',
    async show(page, service) {
      await page.goto((await invite(service, await administratorWithOrganization(service))).linkPath)
      await page.getByRole('button', { name: 'Use a passkey instead of a password' }).click()
    },
  },
  {
    name: 'step-up by password or passkey',
    async show(page, service) {
      const { email } = await newMember(service)
      await openAccount(page, service, email)
      await newVirtualAuthenticator(page)
      await page.goto('/account/security')
      await page.getByRole('button', { name: 'Add a passkey' }).click()
      await page.getByRole('button', { name: /^Rename/ }).waitFor()
      service.advance(16 * 60_000)
      await page.getByRole('button', { name: /^Remove/ }).click()
      await page.getByRole('button', { name: 'Remove this passkey' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
]
