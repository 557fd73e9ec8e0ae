import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser } from '../support/pages.ts'
import { createTestUser } from '../support/staff.ts'
import { administrator, member, newEmail, owner } from '../support/users.ts'
import { focused, heading, signIn } from '../support/visits.ts'

inBrowser('Shared components', (pages) => {
  test('A table has its search, order and page in the address, and says which column sorts it', async () => {
    const { service, newPage } = pages()
    const admin = await administrator(service)
    const emails = [`aa-${newEmail()}`, `bb-${newEmail()}`]
    for (const email of emails) await createTestUser(admin, { email, name: 'Paula Table' })
    const page = await newPage()
    await signIn(page, admin.email)
    await page.goto('/staff/users')
    await page.getByLabel('Search by email address').fill('-hire-')
    await page.getByText('1 to 2 of 2').waitFor()
    await page.getByRole('button', { name: 'Email address' }).click()
    const order = () => page.getByRole('row').filter({ hasText: '-hire-' }).allInnerTexts()
    const sorted = page.getByRole('columnheader', { name: 'Email address' })
    await sorted.and(page.locator('[aria-sort=ascending]')).waitFor()
    await page.getByRole('row').nth(1).filter({ hasText: 'aa-' }).waitFor()
    await page.getByRole('button', { name: 'Email address' }).click()
    await sorted.and(page.locator('[aria-sort=descending]')).waitFor()
    await page.getByRole('row').nth(1).filter({ hasText: 'bb-' }).waitFor()
    const shown = await order()
    await page.reload()
    await page.getByText('1 to 2 of 2').waitFor()
    assert.deepEqual(await order(), shown)
    await page.getByLabel('Search by email address').fill('no such address')
    await page.getByText('No user has such an email address').waitFor()
  })

  test('Selected rows are signed out together after a question', async () => {
    const { service, newPage } = pages()
    const admin = await administrator(service)
    const first = await member(service, await owner(service))
    const page = await newPage()
    await signIn(page, admin.email)
    await page.goto(`/staff/users?search=${encodeURIComponent(first.email)}`)
    await page.getByLabel(`Select ${first.email}`).check()
    await page.getByText('1 user selected').waitFor()
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('button', { name: 'Sign them out' }).click()
    await page.getByText('1 user selected').waitFor({ state: 'detached' })
    assert.equal((await first.client.get('/api/auth/get-session')).body, null)
  })

  test('A role in a row changes immediately and can be undone, and a refusal stays visible', async () => {
    const { service, newPage } = pages()
    const first = await owner(service)
    const { email } = await member(service, first)
    const { slug } = first.organization
    const page = await newPage()
    await signIn(page, first.email)
    await page.goto(`/organizations/${slug}/members`)
    const row = page.getByRole('row').filter({ hasText: email })
    const roleOf = async () => {
      const { body } = await first.client.get(`/api/auth/organization/list-members?organizationSlug=${slug}`)
      return body.members.find(({ user }: { user: { email: string } }) => user.email === email)?.role
    }
    await row.getByRole('combobox').selectOption('admin')
    await row.getByRole('button', { name: 'Undo' }).waitFor()
    assert.equal(await roleOf(), 'admin')
    await row.getByRole('button', { name: 'Undo' }).click()
    await row.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
    assert.equal(await roleOf(), 'member')

    const own = page.getByRole('row').filter({ hasText: first.email })
    assert.ok(await own.getByRole('combobox').isDisabled())
    await own.getByText('You are the only owner').waitFor()
    await first.client.post('/api/auth/organization/remove-member', { memberIdOrEmail: email })
    await row.getByRole('combobox').selectOption('admin')
    await row.getByRole('alert').waitFor()
    assert.equal(await row.getByRole('combobox').inputValue(), 'member')
  })

  test('A destructive action asks in place, wants the name typed, and can be cancelled', async () => {
    const { service, newPage } = pages()
    const { email, client, organization } = await owner(service)
    const page = await newPage()
    await signIn(page, email)
    await page.goto(`/organizations/${organization.slug}/settings`)
    const opener = page.getByRole('button', { name: 'Delete… Example Works' })
    await opener.click()
    assert.equal(await focused(page), 'typedName')
    await page.keyboard.press('Escape')
    assert.match(await focused(page), /^Delete…/)
    await opener.click()
    await page.getByLabel(/^Type org-/).fill('another name')
    await page.getByRole('button', { name: 'Delete this organization' }).click()
    await page.getByText(`Type ${organization.slug}, exactly so.`).waitFor()
    await page.getByLabel(/^Type org-/).fill(organization.slug)
    await page.getByRole('button', { name: 'Delete this organization' }).click()
    await heading(page, 'Your account')
    const { body } = await client.get('/api/auth/organization/list')
    assert.ok(!body.some(({ id }: { id: string }) => id === organization.id))
  })

  test('Tabs are in the address, and Copy writes to the clipboard', async () => {
    const { service, newPage } = pages()
    const { email, id } = await administrator(service)
    const page = await newPage({ permissions: ['clipboard-read', 'clipboard-write'] })
    await signIn(page, email)
    await page.goto(`/staff/users/${id}`)
    await page.getByRole('button', { name: 'Copy Id' }).click()
    await page.getByText('Copied').waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), id)
    await page.getByRole('link', { name: 'Sessions' }).click()
    await page.getByRole('columnheader', { name: 'Network' }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'Sessions' }).and(page.locator('[aria-current=page]')).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Copy Id' }).waitFor()
  })
})
