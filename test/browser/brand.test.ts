import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser } from '../support/pages.ts'
import { administrator, administratorWithOrganization, member, newMember } from '../support/users.ts'
import { assertAbsent, heading, openAccount, openSession } from '../support/visits.ts'

const SUPPORT_URL = 'https://help.example.com/'
const PRIVACY_URL = 'https://example.com/privacy'
const PAYROLL = 'https://payroll.example.com'

inBrowser(
  'brand',
  (pages) => {
    test('The pages have the name, the mark and the accent of the brand, in light and in dark', async () => {
      const { newPage } = pages()
      const colors = []
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await newPage({ colorScheme })
        await page.goto('/sign-in')
        await heading(page, 'Sign in')
        assert.equal(await page.title(), 'Sign in · Example Works')
        await page.locator('.wordmark', { hasText: 'Example Works' }).waitFor()
        await page.waitForFunction("document.querySelector('.wordmark img').naturalWidth > 0")
        colors.push(await page.evaluate("getComputedStyle(document.querySelector('.button-main')).backgroundColor"))
      }
      assert.equal(colors[0], 'rgb(122, 31, 92)')
      assert.notEqual(colors[1], colors[0])
    })

    test('The checkboxes of a table have the accent of the brand', async () => {
      const { service, newPage } = pages()
      const first = await administratorWithOrganization(service)
      await member(service, first)
      const page = await newPage({ colorScheme: 'light' })
      await openSession(page, service, first.email)
      await page.goto(`/organizations/${first.organization.slug}/members`)
      const checkbox = page.getByRole('checkbox', { name: 'Select Hilda Hire' })
      await checkbox.waitFor()
      const color = await page.evaluate("getComputedStyle(document.querySelector('td input')).accentColor")
      assert.equal(color, 'rgb(122, 31, 92)')
    })

    test('Every page has the addresses for help and for the privacy notice', async () => {
      const { service, newPage } = pages()
      const page = await newPage()
      const addresses = () =>
        Promise.all(
          ['Help', 'Privacy'].map((name) => page.getByRole('link', { name, exact: true }).getAttribute('href')),
        )
      for (const path of ['/sign-in', '/reset-password', '/no-such-page']) {
        await page.goto(path)
        assert.deepEqual(await addresses(), [SUPPORT_URL, PRIVACY_URL], path)
      }
      await openAccount(page, pages().service, (await newMember(service)).email)
      assert.deepEqual(await addresses(), [SUPPORT_URL, PRIVACY_URL])
    })

    test('The account page has a tile for each service', async () => {
      const { service, newPage } = pages()
      const page = await newPage()
      await openAccount(page, service, (await newMember(service)).email)
      const tile = page.getByRole('list', { name: 'Services' }).getByRole('link', { name: 'Payroll' })
      assert.equal(await tile.getAttribute('href'), PAYROLL)
    })

    test('Where only staff create organizations, other users get neither a link nor the form', async () => {
      const { service, newPage } = pages()
      const page = await newPage()
      const { email } = await newMember(service)
      await openSession(page, service, email)
      await page.goto('/organizations/new')
      await page.getByText('Only the staff of this service create organizations.').waitFor()
      assert.ok(await page.getByRole('button', { name: 'Create organization' }).isDisabled())
      const link = page.getByRole('link', { name: 'Create an organization' })
      await assertAbsent(link)
      await service.context.database.updateTable('users').set({ emailVerified: 0 }).where('email', '=', email).execute()
      await page.goto('/account')
      await page.getByText('Until then you can’t join organizations.').waitFor()
      await openSession(page, service, (await administrator(service)).email)
      await page.goto('/organizations/new')
      await link.waitFor()
      assert.ok(await page.getByRole('button', { name: 'Create organization' }).isEnabled())
    })
  },
  {
    BRAND_NAME: 'Example Works',
    BRAND_ACCENT: '#7a1f5c',
    SUPPORT_URL,
    PRIVACY_URL,
    ORGANIZATION_CREATION: 'staff',
    SERVICES: JSON.stringify([{ name: 'Payroll', origin: PAYROLL }]),
  },
)
