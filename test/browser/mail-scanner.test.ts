import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { issueToken } from '../../server/secrets/single-use-tokens.ts'
import { inBrowser } from '../support/pages.ts'
import { invite, member, owner, PASSWORD } from '../support/people.ts'
import type { Service } from '../support/service.ts'
import { heading } from '../support/visits.ts'

interface Kind {
  name: string
  /** The path of a new link. */
  link: (service: Service) => Promise<string>
  /** What its reader does on the page that it opens, and what they see in the end. */
  use: (page: Page) => Promise<void>
}

const KINDS: Kind[] = [
  {
    name: 'invitation',
    link: async (service) => (await invite(service, await owner(service))).linkPath,
    async use(page) {
      await page.getByLabel('Your name').fill('Hilda Hire')
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Create account' }).click()
      await heading(page, 'Welcome to Example Works')
    },
  },
  {
    name: 'reset-password',
    async link(service) {
      const { id } = await member(service, await owner(service))
      const { context } = service
      const token = await issueToken(context.database, context, 'reset password', { userId: id, data: {} })
      return `/reset-password#token=${token}`
    },
    async use(page) {
      await page.getByLabel('New password', { exact: true }).fill('another horse battery staple')
      await page.getByRole('button', { name: 'Save password' }).click()
      await page.getByText('Your new password is saved.').waitFor()
    },
  },
]

inBrowser('A mail scanner', (house) => {
  for (const { name, link, use } of KINDS) {
    test(`that opens the link of a letter, scripts and all, leaves it good: ${name}`, async () => {
      const { service, visitor } = house()
      const path = await link(service)
      const scanner = service.client()
      for (const accept of ['*/*', 'text/html']) await scanner.get(path, { headers: { accept } })
      for (let visits = 0; visits < 2; visits++) {
        const page = await visitor()
        await page.goto(path, { waitUntil: 'networkidle' })
      }

      const reader = await visitor()
      await reader.goto(path)
      await use(reader)
      assert.ok(!reader.url().includes('token'))
    })
  }
})
