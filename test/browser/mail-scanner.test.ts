import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createToken } from '../../server/core/single-use-tokens/single-use-tokens.ts'
import { inBrowser } from '../support/pages.ts'
import { routeOnce } from '../support/route-once.ts'
import type { Service } from '../support/service.ts'
import {
  administratorWithOrganization,
  invite,
  linkIn,
  newEmail,
  newMember,
  PASSWORD,
  tokenIn,
} from '../support/users.ts'
import { assertAbsent, heading, openSession } from '../support/visits.ts'

interface Kind {
  name: string
  /** A new link, or its path. */
  link: (service: Service) => Promise<string>
  /** The steps of a user on the page, up to the last page. */
  use: (page: Page) => Promise<void>
}

const KINDS: Kind[] = [
  {
    name: 'invitation',
    link: async (service) => (await invite(service, await administratorWithOrganization(service))).linkPath,
    async use(page) {
      await page.getByLabel('Your name').fill('Hilda Hire')
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Create account' }).click()
      await heading(page, 'Welcome to Example Works')
    },
  },
  {
    name: 'set a new password',
    async link(service) {
      const { client, email } = await newMember(service)
      await client.post('/api/auth/request-password-reset', { email })
      return linkIn(service, email)
    },
    async use(page) {
      await page.getByLabel('New password', { exact: true }).fill('another horse battery staple')
      await page.getByRole('button', { name: 'Save password' }).click()
      await page.getByText('Your new password is saved.').waitFor()
    },
  },
  {
    name: 'set a new password, with a callback URL',
    async link(service) {
      const { id } = await newMember(service)
      const { context } = service
      const token = await createToken(context.database, context, 'reset password', { userId: id, data: {} })
      return `/api/auth/reset-password/${token}?callbackURL=/reset-password`
    },
    async use(page) {
      await page.getByLabel('New password', { exact: true }).fill('another horse battery staple')
      await page.getByRole('button', { name: 'Save password' }).click()
      await page.getByText('Your new password is saved.').waitFor()
    },
  },
  {
    name: 'verify an email address',
    link: async (service) => linkIn(service, await unverified(service)),
    async use(page) {
      await page.getByText('passkeys and two-step verification stop working').waitFor()
      await page.getByRole('button', { name: 'Verify address' }).click()
      await heading(page, 'Email address verified')
      await page.getByText('an email with a link to choose a new password').waitFor()
    },
  },
  {
    name: 'verify an email address, with a callback URL',
    link: async (service) => linkIn(service, await unverified(service, '/forgot-password')),
    async use(page) {
      await page.getByRole('button', { name: 'Verify address' }).click()
      await heading(page, 'Forgot your password?')
    },
  },
  {
    name: 'change the email address',
    async link(service) {
      const { client } = await newMember(service)
      const email = newEmail()
      await client.post('/api/auth/change-email', { newEmail: email })
      return linkIn(service, email)
    },
    async use(page) {
      await page.getByText('stay signed in only where you asked for the change').waitFor()
      await page.getByRole('button', { name: 'Change address' }).click()
      await heading(page, 'Address changed')
    },
  },
  {
    name: 'undo a change of the email address',
    async link(service) {
      const { client, email } = await newMember(service)
      const next = newEmail()
      await client.post('/api/auth/change-email', { newEmail: next })
      await client.get(`/api/auth/verify-email?token=${await tokenIn(service, next)}`)
      return linkIn(service, email)
    },
    async use(page) {
      await page.getByRole('button', { name: 'Undo the change' }).click()
      await heading(page, 'Your former address is back')
    },
  },
  {
    name: 'delete the account',
    async link(service) {
      const { client, email } = await newMember(service)
      await client.post('/api/auth/delete-user')
      return linkIn(service, email)
    },
    async use(page) {
      await page.getByText('Organizations with no other member are deleted too.').waitFor()
      await page.getByRole('button', { name: 'Delete my account' }).click()
      await heading(page, 'Your account is deleted')
    },
  },
  {
    name: 'delete the account, with a callback URL',
    async link(service) {
      const { client, email } = await newMember(service)
      await client.post('/api/auth/delete-user', { callbackURL: '/forgot-password' })
      return linkIn(service, email)
    },
    async use(page) {
      await page.getByRole('button', { name: 'Delete my account' }).click()
      await heading(page, 'Forgot your password?')
    },
  },
]

/** The email address of a user who has got a verification email. */
async function unverified(service: Service, callbackURL?: string): Promise<string> {
  const { client, email, id } = await newMember(service)
  await service.context.database.updateTable('users').set({ emailVerified: 0 }).where('id', '=', id).execute()
  await client.post('/api/auth/send-verification-email', { email, callbackURL })
  return email
}

inBrowser('Mail scanners', (pages) => {
  for (const { name, link, use } of KINDS) {
    test(`A mail scanner that opens an emailed link and runs its scripts does not use the link: ${name}`, async () => {
      const { service, newPage } = pages()
      const path = await link(service)
      const scanner = service.client()
      for (const accept of ['*/*', 'text/html']) await scanner.get(path, { headers: { accept } })
      for (let visits = 0; visits < 2; visits++) {
        const page = await newPage()
        await page.goto(path, { waitUntil: 'networkidle' })
      }

      const reader = await newPage()
      await reader.goto(path)
      await use(reader)
      assert.ok(!reader.url().includes('token'))
    })
  }

  test('A session that ends on the page that verifies an address asks to sign in, and the password stays', async () => {
    const { service, newPage } = pages()
    const email = await unverified(service)
    const path = await linkIn(service, email)
    const page = await newPage()
    await openSession(page, service, email)
    await page.goto(path)
    const button = page.getByRole('button', { name: 'Verify address' })
    await button.waitFor()
    await assertAbsent(page.getByText('passkeys and two-step verification stop working'))
    await service.context.database.deleteFrom('sessions').execute()
    await button.click()
    const dialog = page.getByRole('dialog', { name: 'You have been signed out' })
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Your email address is verified.').waitFor()
    await openSession(page, service, email)
  })

  test('A user who does not sign in again on the page that verifies an address reads how to keep the password', async () => {
    const { service, newPage } = pages()
    const email = await unverified(service)
    const page = await newPage()
    await openSession(page, service, email)
    await page.goto(await linkIn(service, email))
    const button = page.getByRole('button', { name: 'Verify address' })
    await button.waitFor()
    await service.context.database.deleteFrom('sessions').execute()
    await button.click()
    await page.getByRole('button', { name: 'Leave this page' }).click()
    await page.getByRole('alert').getByText('Sign in, then open the link again.').waitFor()
    await page.getByText('passkeys and two-step verification stop working').waitFor()
  })

  test('The button that verifies an address comes with its warning, and not before', async () => {
    const { service, newPage } = pages()
    const path = await linkIn(service, await unverified(service))
    const page = await newPage()
    const asked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    await routeOnce(page, '**/api/auth/get-session', async (route) => {
      asked.resolve()
      await released.promise
      await route.fulfill({ status: 429, json: { code: 'TOO_MANY_REQUESTS', message: 'Wait a little.' } })
    })
    await page.goto(path)
    await asked.promise
    const button = page.getByRole('button', { name: 'Verify address' })
    await page.getByText('Loading').waitFor()
    assert.equal(await button.count(), 0)
    released.resolve()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('passkeys and two-step verification stop working').waitFor()
    await button.waitFor()
  })
})
