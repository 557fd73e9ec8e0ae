import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { framedPages, pagePaths } from '../../web/shared/pages.ts'
import { inBrowser } from '../support/pages.ts'
import type { Service } from '../support/service.ts'
import { administrator, administratorWithOrganization, newEmail } from '../support/users.ts'
import { loaded, openAccount, openEmail, openSession, waitForFrames } from '../support/visits.ts'

const MARKUP = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "'-alert(1)-'",
  'javascript:alert(1)',
  '{{alert(1)}}',
]
const PARAMETERS = ['error', 'error_description', 'message', 'token', 'email', 'state']
const PATHS = [...pagePaths, '/api/auth/error']
/** The heading of a page whose organization or user does not exist. */
const MISSING = /^There is no such (organization|user)|^You are not a member here/

inBrowser('Text from the address', (pages) => {
  for (const path of PATHS) {
    test(`GHSA-9x4v-xfq5-m8x5: a page shows and runs no text from its address: ${path}`, async () => {
      const { service, newPage } = pages()
      const page = await newPage()
      // A framed page leads a browser without a session to sign-in, which another test visits.
      const address = framedPages.includes(path) ? await signInFor(page, service, path) : path
      const alerts = listenForAlerts(page)
      const query = new URLSearchParams(PARAMETERS.map((name, index) => [name, MARKUP[index] ?? '']))
      await page.goto(`${address}?${query}#${encodeURIComponent(MARKUP.join(''))}`)
      await loaded(page, /./)
      await waitForFrames(page)
      assert.doesNotMatch((await page.getByRole('heading', { level: 1 }).textContent()) ?? '', MISSING)
      assert.ok(!(await contentWithoutFields(page)).includes('alert(1)'), `${path} shows text from its address`)
      assert.deepEqual(alerts, [])
    })
  }
})

/** Signs an administrator in who owns an organization. @returns the path, with its parameters */
async function signInFor(page: Page, service: Service, path: string): Promise<string> {
  const { email, id, organization } = await administratorWithOrganization(service)
  await openSession(page, service, email)
  const idOfPage = path.startsWith('/staff/users/') ? id : organization.id
  return path.replace(':slug', organization.slug).replace(':id', idOfPage)
}

/** The page without its fields, because a search field shows the search of the address. */
function contentWithoutFields(page: Page): Promise<string> {
  return page.evaluate<string>(`{
    const copy = document.documentElement.cloneNode(true)
    for (const field of copy.querySelectorAll('input')) field.remove()
    copy.outerHTML
  }`)
}

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
    await openAccount(owner, service, email)
    await owner.getByRole('main').getByRole('listitem').getByText(name).waitFor()
    assert.deepEqual([...alerts, ...alertsOfOwner], [])
  })
})

/** Markup that runs calls `alert`. */
function listenForAlerts(page: Page): string[] {
  const alerts: string[] = []
  page.removeAllListeners('dialog')
  page.on('dialog', (dialog) => {
    alerts.push(dialog.message())
    void dialog.dismiss()
  })
  return alerts
}
