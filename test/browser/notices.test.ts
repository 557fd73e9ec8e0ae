import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { watchAnnouncements } from '../support/announcements.ts'
import { insertMembers } from '../support/many-members.ts'
import { inBrowser } from '../support/pages.ts'
import { routeForNow } from '../support/route-once.ts'
import { createTestUser } from '../support/staff.ts'
import { administrator, administratorWithOrganization, newEmail, newMember } from '../support/users.ts'
import { fillSignIn, loaded, openAccount, openSession, waitForFrames } from '../support/visits.ts'

const SMALL_SCREEN = { width: 320, height: 256 }

inBrowser('Notices', (pages) => {
  test('A refused sign-in is in view on a small screen', async () => {
    const page = await pages().newPage({ viewport: SMALL_SCREEN })
    await page.goto('/sign-in')
    await fillSignIn(page, newEmail(), 'a wrong guess')
    await assertInView(page.getByRole('alert'))
  })

  test('A saved name and sent invitations are in view on a small screen', async () => {
    const { service, newPage } = pages()
    const { email, organization } = await administratorWithOrganization(service)
    const page = await newPage({ viewport: SMALL_SCREEN })
    await openAccount(page, service, email)
    await page.getByRole('button', { name: 'Save' }).click()
    await assertInView(page.getByText('Saved.'))
    await page.goto(`/organizations/${organization.slug}/invitations`)
    await page.getByRole('textbox', { name: 'Email addresses' }).fill(newEmail())
    await page.getByRole('button', { name: 'Send invitations' }).click()
    await assertInView(page.getByText('Invitations sent: 1.'))
  })

  test('A notice that is there when the page loads moves nothing', async () => {
    const { service, newPage } = pages()
    const page = await newPage({ viewport: SMALL_SCREEN })
    await openSession(page, service, (await newMember(service)).email)
    await routeForNow(page, '**/api/auth/organization/list?*', (route) =>
      route.fulfill({ status: 429, json: { code: 'TOO_MANY_REQUESTS', message: 'Too many tries.' } }),
    )
    await page.goto('/account')
    await page.getByRole('button', { name: 'Try again' }).first().waitFor()
    await waitForFrames(page)
    assert.equal(await page.evaluate('scrollY'), 0)
  })

  test('After the removal of a member far down the table, the notice is in view, and the user stays there', async () => {
    const { service, newPage } = pages()
    const { email, organization } = await administratorWithOrganization(service)
    await insertMembers(service, organization.id, 40)
    const page = await newPage()
    await openSession(page, service, email)
    await page.goto(`/organizations/${organization.slug}/members`)
    await page.getByRole('button', { name: 'Remove… Person 32' }).click()
    await page.getByRole('button', { name: 'Remove this member' }).click()
    const notice = page.getByText('Person 32 is removed.')
    await assertInView(notice)
    await assertInView(page.getByRole('cell', { name: 'Person 33', exact: true }))
    // The place of the notice at the top of the page is out of view.
    const place = await page.evaluate<number>('scrollY')
    assert.ok(place > 1_000)
    await page.getByRole('button', { name: 'Close the notice' }).focus()
    await waitForFrames(page)
    assert.equal(await page.evaluate('scrollY'), place)
    await page.getByRole('button', { name: 'Close the notice' }).click()
    await notice.waitFor({ state: 'detached' })
  })

  test('The question of a removal has Cancel beside its button, and its notice leaves when the role of another member changes', async () => {
    const { service, newPage } = pages()
    const { email, organization } = await administratorWithOrganization(service)
    await insertMembers(service, organization.id, 2)
    const page = await newPage()
    await openSession(page, service, email)
    await page.goto(`/organizations/${organization.slug}/members`)
    await page.getByRole('button', { name: 'Remove… Person 1' }).click()
    const remove = page.getByRole('button', { name: 'Remove this member' })
    const [box, boxOfCancel] = [
      await remove.boundingBox(),
      await page.getByRole('button', { name: 'Cancel' }).boundingBox(),
    ]
    assert.ok(box && boxOfCancel && box.y === boxOfCancel.y && boxOfCancel.x - (box.x + box.width) < 30, 'beside it')
    await remove.click()
    const notice = page.getByText('Person 1 is removed.')
    await notice.waitFor()
    await page.getByLabel('Role of Person 2', { exact: true }).selectOption('Admin')
    await page.getByRole('button', { name: /^Undo.*Person 2/ }).waitFor()
    assert.equal(await notice.count(), 0)
  })

  test('A notice that stays in view covers no focused control and no head of the table, and offers Undo', async () => {
    const { service, newPage } = pages()
    const { email, organization } = await administratorWithOrganization(service)
    await insertMembers(service, organization.id, 30)
    const page = await newPage()
    await openSession(page, service, email)
    await page.goto(`/organizations/${organization.slug}/members`)
    await page.getByLabel('Select Person 5', { exact: true }).check()
    await page.getByLabel('New role of the selected members').selectOption('Admin')
    await page.getByRole('button', { name: 'Change role' }).click()
    const notice = page.getByRole('status').filter({ hasText: 'The role of one member is changed.' })
    const control = page.getByLabel('Role of Person 5', { exact: true })
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 640 })
      const bottom = await notice.evaluate((element) => element.getBoundingClientRect().bottom)
      await control.evaluate((element, top) => {
        element.blur()
        element.ownerDocument.defaultView.scrollBy(0, element.getBoundingClientRect().top - top)
      }, bottom - 40)
      await control.focus()
      await assertInView(control)
      await assertInView(notice)
    }
    await page.setViewportSize({ width: 1280, height: 640 })
    await page.evaluate('scrollTo(0, 1_000)')
    await waitForFrames(page)
    const head = await page.getByRole('columnheader', { name: 'Name' }).boundingBox()
    assert.ok(head && head.y + head.height < 0)
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await control.and(page.locator('select:has(option:checked[value=member])')).waitFor()
  })

  test('A screen reader announces a success also where its notice replaces the question or the fields', async () => {
    const { service, newPage } = pages()
    const { email } = await newMember(service)
    const page = await newPage()
    await openSession(page, service, email)
    await page.goto('/account/security#deletion')
    await loaded(page, 'Security')
    const announced = await watchAnnouncements(page)
    await page.locator('#deletion').getByRole('button', { name: 'Send me the link' }).click()
    await page.getByText(`An email is on its way to ${email}.`).waitFor()
    assert.ok((await announced()).some((text) => text.startsWith('An email is on its way')))

    const admin = await administrator(service)
    await openSession(page, service, admin.email)
    await page.goto(`/staff/users/${await createTestUser(admin, {})}`)
    await page.getByRole('button', { name: /^Send a password link/ }).waitFor()
    const onStaffPage = await watchAnnouncements(page)
    await page.getByRole('button', { name: /^Send a password link/ }).click()
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.getByText('The link is on its way to').waitFor()
    assert.ok((await onStaffPage()).some((text) => text.startsWith('The link is on its way')))
  })
})

/** Asserts that the user sees the center of a place: no other part of the page covers it. */
async function assertInView(place: Locator): Promise<void> {
  await place.waitFor()
  await waitForFrames(place.page())
  const isSeen = await place.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect()
    return element.contains(element.ownerDocument.elementFromPoint(x + width / 2, y + height / 2))
  })
  assert.ok(isSeen, String(place))
}
