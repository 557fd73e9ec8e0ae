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

inBrowser('Text that came with the address', (house) => {
  for (const path of PATHS) {
    test(`GHSA-9x4v-xfq5-m8x5: shows nothing and runs nothing: ${path}`, async () => {
      const page = await house().visitor()
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

inBrowser('Text that people wrote', (house) => {
  test('CVE-2022-31127: is text wherever it is shown: invitation, letter, account', async () => {
    const { service, visitor } = house()
    const { client, email } = await administrator(service)
    const name = '<img src=x onerror=alert(1)>'
    const organization = await client.post('/api/auth/organization/create', { name, slug: 'markup' })
    const hire = newEmail()
    await client.post('/api/auth/organization/invite-member', {
      email: hire,
      role: 'member',
      organizationId: organization.body.id,
    })
    const page = await visitor()
    const alerts = listenForAlerts(page)
    await openEmail(page, hire)
    const message = page.frameLocator('iframe')
    await message.getByRole('heading', { name: `Join ${name}` }).waitFor()
    await message.getByRole('link', { name: 'See the invitation' }).click()
    await page.getByText(`invited you to join ${name} as a member`).waitFor()
    const owner = await visitor()
    const alertsOfOwner = listenForAlerts(owner)
    await signIn(owner, email)
    await owner.getByRole('listitem').getByText(name).waitFor()
    assert.deepEqual([...alerts, ...alertsOfOwner], [])
  })
})

/** Everything that managed to run calls alert. */
function listenForAlerts(page: Page): string[] {
  const alerts: string[] = []
  page.on('dialog', (dialog) => {
    alerts.push(dialog.message())
    void dialog.dismiss()
  })
  return alerts
}
