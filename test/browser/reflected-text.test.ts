import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { pagePaths } from '../../web/shared/pages.ts'
import { inBrowser } from '../support/pages.ts'
import { administrator, newEmail } from '../support/users.ts'
import { openEmail, signIn } from '../support/visits.ts'

const MARKUP = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "'-alert(1)-'",
  'javascript:alert(1)',
  '{{alert(1)}}',
]
const PATHS = [...pagePaths, '/api/auth/error']

inBrowser('Text from the address', (pages) => {
  for (const path of PATHS) {
    test(`GHSA-9x4v-xfq5-m8x5: a page shows and runs no text from its address: ${path}`, async () => {
      const page = await pages().newPage()
      const alerts = listenForAlerts(page)
      for (const text of MARKUP) {
        const query = new URLSearchParams(
          ['error', 'error_description', 'message', 'token', 'email', 'state'].map((name) => [name, text]),
        )
        await page.goto(`${path}?${query}#${encodeURIComponent(text)}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        assert.ok(!(await page.content()).includes('alert(1)'), `${path} shows ${text}`)
      }
      assert.deepEqual(alerts, [])
    })
  }
})

inBrowser('Text from users', (pages) => {
  test('CVE-2022-31127: markup in a name is shown as text in the email, the invitation and the account', async () => {
    const { service, newPage } = pages()
    const { client, email } = await administrator(service)
    const name = '<img src=x onerror=alert(1)>'
    const organization = await client.post('/api/auth/organization/create', { name, slug: 'markup' })
    const invited = newEmail()
    await client.post('/api/auth/organization/invite-member', {
      email: invited,
      role: 'member',
      organizationId: organization.body.id,
    })
    const page = await newPage()
    const alerts = listenForAlerts(page)
    await openEmail(page, invited)
    const message = page.frameLocator('iframe')
    await message.getByRole('heading', { name: `Join ${name}` }).waitFor()
    await message.getByRole('link', { name: 'See the invitation' }).click()
    await page.getByText(`invited you to join ${name} as a member`).waitFor()
    const owner = await newPage()
    const alertsOfOwner = listenForAlerts(owner)
    await signIn(owner, email)
    await owner.getByRole('main').getByRole('listitem').getByText(name).waitFor()
    assert.deepEqual([...alerts, ...alertsOfOwner], [])
  })
})

/** Markup that runs calls `alert`. */
function listenForAlerts(page: Page): string[] {
  const alerts: string[] = []
  page.on('dialog', (dialog) => {
    alerts.push(dialog.message())
    void dialog.dismiss()
  })
  return alerts
}
