import { insertTestPasskeys } from './passkeys.ts'
import type { Scene } from './scene.ts'
import { userWithRole } from './staff.ts'
import { enableEmailCodes, enableTotp } from './two-step.ts'
import { administrator, newMember, PASSWORD } from './users.ts'
import { fillSignIn, heading, openAccount, openSession } from './visits.ts'

/** The pages of two-step verification. */
export const twoStepScenes: Scene[] = [
  {
    name: 'second step, wrong code',
    async show(page, service) {
      const user = await newMember(service)
      await enableTotp(service, user)
      await page.goto('/sign-in')
      await fillSignIn(page, user.email)
      await page.getByLabel('Code of your authenticator app').fill('000000')
      await page.getByText('That code is wrong').waitFor()
    },
  },
  {
    name: 'second step by email, and its recovery code',
    async show(page, service) {
      const user = await newMember(service)
      const { backupCodes } = await enableEmailCodes(service, user)
      await page.goto('/sign-in')
      await fillSignIn(page, user.email)
      await page.getByRole('button', { name: 'Send another code' }).click()
      await page.getByText('A code is on its way').waitFor()
      await page.getByRole('button', { name: 'Use a recovery code' }).click()
      await page.getByLabel('Recovery code', { exact: true }).fill(backupCodes[0] ?? '')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await heading(page, 'You are signed in')
    },
  },
  {
    name: 'two-step verification, chosen',
    async show(page, service) {
      await openAccount(page, service, (await newMember(service)).email)
      await page.goto('/account/security#two-step')
      await page.getByRole('button', { name: 'Go on' }).click()
      await page.getByText('Enter your password.').waitFor()
    },
  },
  {
    name: 'two-step verification, the key',
    async show(page, service) {
      await openAccount(page, service, (await newMember(service)).email)
      await page.goto('/account/security#two-step')
      await page.getByLabel('Your password', { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Go on' }).click()
      await page.getByLabel('Key', { exact: true }).waitFor()
    },
  },
  {
    name: 'two-step verification, new recovery codes, and a trusted device',
    async show(page, service) {
      const user = await newMember(service)
      const { codeAt } = await enableTotp(service, user)
      await page.goto('/sign-in')
      await fillSignIn(page, user.email)
      await page.getByLabel('Trust this device for 30 days').check()
      await page.getByLabel('Code of your authenticator app').fill(codeAt(service.context.now()))
      await heading(page, 'Your account')
      await page.goto('/account/security#two-step')
      await page.getByRole('button', { name: 'New recovery codes' }).click()
      await page.getByLabel('Your password', { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Make new codes' }).click()
      await page.getByLabel('I have stored them').waitFor()
    },
  },
  {
    name: 'two-step verification, turning it off',
    async show(page, service) {
      const user = await newMember(service)
      await openSession(page, service, user.email)
      await enableTotp(service, user)
      await page.goto('/account/security#two-step')
      await page.getByRole('button', { name: 'Turn off' }).click()
      await page.getByText('Turn off two-step verification?').waitFor()
    },
  },
  {
    name: 'two-step verification required of a user who signed in without the passkey',
    async show(page, service) {
      const user = await newMember(service)
      await openSession(page, service, user.email)
      await insertTestPasskeys(service, user.id, 1)
      service.config.requireTwoFactor = 'all'
      await page.goto('/account/security')
      await page.getByText('You signed in without your passkey.').waitFor()
      service.config.requireTwoFactor = 'none'
    },
  },
  {
    name: 'staff: two-step verification required',
    async show(page, service) {
      const { email } = await userWithRole(service, await administrator(service), 'support')
      await openSession(page, service, email)
      service.config.requireTwoFactor = 'staff'
      await page.goto('/staff')
      await page.getByRole('link', { name: 'Set up two-step verification' }).waitFor()
      service.config.requireTwoFactor = 'none'
    },
  },
]
