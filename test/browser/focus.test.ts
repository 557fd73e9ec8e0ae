import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { insertMembers } from '../support/many-members.ts'
import { inBrowser } from '../support/pages.ts'
import { createTestUser } from '../support/staff.ts'
import { administrator, administratorWithOrganization, invite, newMember, type TestUser } from '../support/users.ts'
import { focused, openSession, waitForFocus } from '../support/visits.ts'

inBrowser('The focus after its control has left the page', (pages) => {
  async function visit({ email }: Pick<TestUser, 'email'>, path: string): Promise<Page> {
    const page = await pages().newPage()
    await openSession(page, pages().service, email)
    await page.goto(path)
    return page
  }

  async function invitedThreeTimes(): Promise<TestUser> {
    const { service } = pages()
    const user = await newMember(service)
    for (const _ of [1, 2, 3]) await invite(service, await administratorWithOrganization(service), user.email)
    return user
  }

  test('The focus goes to the list when an invitation is answered, and to the page after the last invitation', async () => {
    const page = await visit(await invitedThreeTimes(), '/account')
    const main = page.getByRole('main')
    const answer = (name: string) => main.getByRole('button', { name, disabled: false }).first().press('Enter')
    await answer('Decline')
    await waitForFocus(main.getByRole('region', { name: 'You have invitations' }))
    await answer('Join')
    await waitForFocus(main.getByRole('region', { name: 'You are invited' }))
    await page.keyboard.press('Tab')
    assert.match(await focused(page), /^Join/)
    await answer('Decline')
    await waitForFocus(main)
  })

  test('The focus stays in the navigation when an invitation is answered there', async () => {
    const page = await visit(await invitedThreeTimes(), '/account/security')
    const navigation = page.getByRole('navigation', { name: 'Main' })
    await navigation.getByRole('button', { name: 'Decline', disabled: false }).first().press('Enter')
    await waitForFocus(navigation)
  })

  test('The focus goes to the table when an API key is deleted', async () => {
    const first = await administratorWithOrganization(pages().service)
    const { id: organizationId, slug } = first.organization
    for (const name of ['Charts', 'Export'])
      await first.client.post('/api/auth/api-key/create', { name, organizationId })
    const page = await visit(first, `/organizations/${slug}/api-keys`)
    await page.getByRole('button', { name: 'Manage Export' }).press('Enter')
    await page.getByRole('button', { name: 'Delete… Export' }).press('Enter')
    await page.keyboard.type('Export')
    await page.keyboard.press('Enter')
    await waitForFocus(page.getByRole('table', { name: 'API keys' }))
  })

  test('The focus goes to the actions when a ban replaces its button', async () => {
    const admin = await administrator(pages().service)
    const page = await visit(admin, `/staff/users/${await createTestUser(admin, {})}`)
    await page.getByRole('button', { name: /^Ban…/ }).press('Enter')
    await page.getByLabel('Reason').fill('Spam')
    await page.keyboard.press('Enter')
    await waitForFocus(page.getByRole('region', { name: 'Actions' }))
  })

  test('The focus goes to the search when a filter of the users is removed', async () => {
    const page = await visit(await administrator(pages().service), '/staff/users?filter=role:admin')
    await page.getByRole('button', { name: 'Remove the filter role:admin' }).press('Enter')
    await waitForFocus(page.getByLabel('Name, email address or id'))
  })

  test('A user who clicks beside the controls keeps no focus, also when the control leaves later', async () => {
    const page = await visit(await invitedThreeTimes(), '/account')
    const response = Promise.withResolvers<void>()
    await page.route('**/reject-invitation', (route) => response.promise.then(() => route.fallback()))
    const section = page.getByRole('main').getByRole('region', { name: 'You have invitations' })
    await section.getByRole('button', { name: 'Decline', disabled: false }).first().press('Enter')
    await section.getByText('Declining…').waitFor()
    await page.getByText('Your account').first().click()
    response.resolve()
    await section.getByRole('listitem').nth(2).waitFor({ state: 'detached' })
    await page.evaluate('new Promise(requestAnimationFrame)')
    assert.equal(await page.evaluate('document.activeElement === document.body'), true)
  })

  test('A heading that gets its text later leaves the focus where the user has moved it', async () => {
    const admin = await administrator(pages().service)
    await createTestUser(admin, { name: 'Paula Late' })
    const page = await visit(admin, '/staff/users')
    const response = Promise.withResolvers<void>()
    await page.route('**/admin/get-user?*', (route) => response.promise.then(() => route.fallback()))
    await page.getByRole('link', { name: 'Paula Late' }).press('Enter')
    await waitForFocus(page.getByRole('heading', { level: 1, name: 'User' }))
    await page.keyboard.press('Tab')
    const tab = page.getByRole('link', { name: 'Account', exact: true })
    await waitForFocus(tab)
    response.resolve()
    await page.getByRole('heading', { level: 1, name: 'Paula Late' }).waitFor()
    await page.evaluate('new Promise(requestAnimationFrame)')
    await waitForFocus(tab)
  })

  test('The navigation on a narrow screen closes when the keyboard leaves it, and does not cover the focus', async () => {
    const page = await visit(await administratorWithOrganization(pages().service), '/account')
    await page.setViewportSize({ width: 390, height: 800 })
    // While the page loads, it has nothing that Tab could reach.
    const next = page.getByRole('link', { name: 'Change your email address' })
    await next.waitFor()
    const menu = page.getByRole('button', { name: 'Menu' })
    await menu.press('Enter')
    const last = page.getByRole('button', { name: 'Sign out' })
    await last.focus()
    await page.keyboard.press('Tab')
    await last.waitFor({ state: 'hidden' })
    await waitForFocus(next)
    await menu.click()
    await last.focus()
    await menu.click()
    await last.waitFor({ state: 'hidden' })
  })

  test('A table scrolls a focused control out from under its header', async () => {
    const first = await administratorWithOrganization(pages().service)
    await insertMembers(pages().service, first.organization.id, 20)
    const page = await visit(first, `/organizations/${first.organization.slug}/members`)
    await page.getByRole('button', { name: 'Remove… Person 5', exact: true }).waitFor()
    await page.evaluate(`(() => {
      const rows = document.querySelectorAll('tbody tr')
      scrollBy(0, rows[2].getBoundingClientRect().top)
      rows[3].querySelector('select').focus({ preventScroll: true })
    })()`)
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Shift+Tab')
    await waitForFocus(page.getByRole('button', { name: 'Remove… Person 3', exact: true }))
    const isCovered = `(() => {
      const { x, y, width, height } = document.activeElement.getBoundingClientRect()
      return !document.activeElement.contains(document.elementFromPoint(x + width / 2, y + height / 2))
    })()`
    assert.equal(await page.evaluate(isCovered), false)
  })

  test('The palette gives the focus back to the button of the menu on a narrow screen', async () => {
    const page = await visit(await administratorWithOrganization(pages().service), '/account')
    await page.setViewportSize({ width: 320, height: 640 })
    const menu = page.getByRole('button', { name: 'Menu' })
    for (const key of ['Enter', 'Control+k']) {
      await menu.press('Enter')
      await page.getByRole('button', { name: /^Go to/ }).press(key)
      await page.getByRole('dialog', { name: 'Go to' }).waitFor()
      await page.keyboard.press('Escape')
      await waitForFocus(menu)
    }
  })
})
