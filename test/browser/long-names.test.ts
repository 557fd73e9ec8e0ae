import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { addCounts, hourOf } from '../../server/platform/statistics/store.ts'
import { inBrowser } from '../support/pages.ts'
import type { Service } from '../support/service.ts'
import { administratorWithOrganization, invite, member, newEmail, type TestMember } from '../support/users.ts'
import { loaded, openSession } from '../support/visits.ts'

/** Around the widths at which the tables become cards, beside the navigation and below it. */
const WIDTHS = [320, 800, 880, 920, 1120, 1152, 1168, 1280, 1440, 1920]
const LONG_NAME = 'W'.repeat(100)

inBrowser('Pages with long names', (pages) => {
  test('Names, email addresses and slugs of one long word make no page wider than the window', async () => {
    const { service, newPage } = pages()
    const first = await administratorWithOrganization(service)
    const { id: userId } = await nameAtLength(service, first)
    const page = await newPage()
    await openSession(page, service, first.email)
    const home = `/organizations/${first.organization.slug}`
    for (const path of [
      ...['/members', '/invitations', '/api-keys'].map((section) => home + section),
      ...['/staff/users', '/staff/organizations', '/staff/invitations', '/staff/emails'],
      ...[`/staff/users/${userId}?tab=organizations`, `/staff/organizations/${first.organization.id}?tab=members`],
    ]) {
      await page.goto(path)
      await page.locator('table[aria-busy=false] tbody tr').first().waitFor()
      assert.deepEqual(await overflows(page), [], path)
    }
  })

  test('A long email address in a table has its new line after the @', async () => {
    const { service, newPage } = pages()
    const first = await administratorWithOrganization(service)
    const { id } = await member(service, first)
    const email = `hilda.${id.slice(-8)}@department.of.works.example`
    await service.context.database.updateTable('users').set({ email }).where('id', '=', id).execute()
    const page = await newPage()
    await page.setViewportSize({ width: 1280, height: 800 })
    await openSession(page, service, first.email)
    await page.goto(`/organizations/${first.organization.slug}/members`)
    await page.getByRole('cell', { name: email, exact: true }).waitFor()
    const lines = await page.evaluate<[text: string, top: number][]>(`(() => {
      const range = document.createRange()
      const cell = [...document.querySelectorAll('td > div')].find(({ textContent }) => textContent === '${email}')
      const texts = [...cell.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
      return texts.flatMap((text) => {
        range.selectNodeContents(text)
        return [...range.getClientRects()].map(({ top }) => [text.data, top])
      })
    })()`)
    const [[local = '', top = 0] = [], [domain = '', below = 0] = []] = lines
    assert.deepEqual([local + domain, lines.length], [email, 2])
    assert.ok(top < below)
  })

  test('A usual email address takes two lines at most in the list of members, beside the navigation', async () => {
    const { service, newPage } = pages()
    const first = await administratorWithOrganization(service)
    const { id } = await member(service, first)
    const email = 'theodora.papadopoulou@example.com'
    await service.context.database.updateTable('users').set({ email }).where('id', '=', id).execute()
    const page = await newPage()
    await openSession(page, service, first.email)
    await page.goto(`/organizations/${first.organization.slug}/members`)
    await page.getByRole('cell', { name: email, exact: true }).waitFor()
    const lineCount = `(() => {
      const range = document.createRange()
      range.selectNodeContents([...document.querySelectorAll('td > div')].find(({ textContent }) => textContent === '${email}'))
      return new Set([...range.getClientRects()].map(({ top }) => top)).size
    })()`
    for (const width of [1120, 1152, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      const count = await page.evaluate<number>(lineCount)
      assert.ok(count <= 2, `${width} px: ${count} lines`)
    }
  })

  test('A long address in the list of emails breaks after the @', async () => {
    const { service, newPage } = pages()
    const first = await administratorWithOrganization(service)
    const { email } = await invite(service, first, 'theodora.papageorgiou@example.com')
    const lastError = 'Not sent: the invitation ended or was sent again, or its inviter may no longer invite'
    const failed = { failedAt: service.context.now(), lastError }
    await service.context.database.updateTable('outbox').set(failed).where('recipient', '=', email).execute()
    const page = await newPage()
    await openSession(page, service, first.email)
    await page.goto('/staff/emails')
    const address = page.getByRole('cell').getByText(email).first()
    for (const width of [1120, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      await address.waitFor()
      const lines = await page.evaluate<string[]>(`(() => {
        const cell = [...document.querySelectorAll('td p')].find(({ textContent }) => textContent === '${email}')
        const range = document.createRange()
        const lines = new Map()
        for (const text of [...cell.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE))
          for (let at = 0; at < text.length; at += 1) {
            range.setStart(text, at)
            range.setEnd(text, at + 1)
            const { top } = range.getBoundingClientRect()
            lines.set(top, (lines.get(top) ?? '') + text.data[at])
          }
        return [...lines.values()]
      })()`)
      assert.ok(
        lines.length <= 2 && lines.every((line) => line.includes('@') || line === 'example.com'),
        lines.join(' | '),
      )
    }
  })

  test('Text of twice the size makes no page wider than a small telephone', async () => {
    const { service, newPage } = pages()
    const { database, now } = service.context
    await addCounts(database, [{ name: 'sign-in', hour: hourOf(now()), detail: 'password', count: 7 }])
    const first = await administratorWithOrganization(service)
    await member(service, first)
    await invite(service, first)
    const { slug, id: organizationId } = first.organization
    await first.client.post('/api/auth/api-key/create', { name: 'Nightly export', organizationId })
    const page = await newPage({ viewport: { width: 320, height: 800 } })
    await openSession(page, service, first.email)
    const row = page.locator('table[aria-busy=false] tbody tr').first()
    const contents: [path: string, content: Locator][] = [
      ['/account', page.getByRole('region', { name: 'You', exact: true })],
      ['/staff', page.getByRole('figure').filter({ hasText: 'sign-ins' }).first()],
      ['/staff/users', row],
      ['/staff/emails', row],
      ...['members', 'api-keys'].map((section): [string, Locator] => [`/organizations/${slug}/${section}`, row]),
    ]
    for (const [path, content] of contents) {
      await page.goto(path)
      await content.waitFor()
      await loaded(page, /./)
      await page.evaluate('document.documentElement.style.fontSize = "200%"')
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      assert.equal(overflow, 0, path)
    }
  })

  test('A long name in the navigation has three lines at most, and the role beside it one', async () => {
    const { service, newPage } = pages()
    const first = await administratorWithOrganization(service)
    await nameAtLength(service, first)
    const page = await newPage()
    await openSession(page, service, first.email)
    await page.goto('/account')
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: LONG_NAME }).first()
    const lineCount = await link.locator('> .soft').evaluate((role) => {
      const range = role.ownerDocument.createRange()
      range.selectNodeContents(role)
      return new Set(Array.from(range.getClientRects(), ({ top }) => top)).size
    })
    assert.equal(lineCount, 1)
    const nameLineCount = await link
      .locator('> span')
      .first()
      .evaluate((name) => {
        const { lineHeight } = name.ownerDocument.defaultView.getComputedStyle(name)
        return name.clientHeight / Number.parseFloat(lineHeight)
      })
    assert.equal(Math.round(nameLineCount), 3)
  })
})

/** Gives an organization, a member, an API key and an invitation of it long names. @returns the member */
async function nameAtLength(service: Service, first: TestMember): Promise<{ id: string }> {
  const { database } = service.context
  const { id } = await member(service, first)
  const longAddress = () => `${'w'.repeat(60)}@${'w'.repeat(60)}.${newEmail().split('-')[1]}`
  await database.updateTable('users').set({ name: LONG_NAME, email: longAddress() }).where('id', '=', id).execute()
  const { id: organizationId } = first.organization
  await first.client.post('/api/auth/api-key/create', { name: LONG_NAME, organizationId })
  await database.updateTable('apiKeys').set({ createdBy: id }).where('organizationId', '=', organizationId).execute()
  const { invitationId } = await invite(service, first)
  await database.updateTable('invitations').set({ email: longAddress() }).where('id', '=', invitationId).execute()
  await database.updateTable('organizations').set({ name: LONG_NAME }).where('id', '=', organizationId).execute()
  return { id }
}

/** The widths of the window at which the page is wider, and by how many pixels. */
async function overflows(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 })
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    if (overflow !== 0) found.push(`${width}: ${overflow}`)
  }
  return found
}
