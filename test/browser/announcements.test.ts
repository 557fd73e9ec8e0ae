import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchAnnouncements } from '../support/announcements.ts'
import { insertMembers } from '../support/many-members.ts'
import { inBrowser } from '../support/pages.ts'
import { userWithTotp } from '../support/two-step.ts'
import { administratorWithOrganization } from '../support/users.ts'
import { fillSignIn, heading, openSession } from '../support/visits.ts'

inBrowser('A screen reader', (pages) => {
  test('A screen reader announces the error of a field without a hint, also when the field has the focus already', async () => {
    const page = await pages().newPage()
    await page.goto('/forgot-password')
    const field = page.getByLabel('Email address')
    await field.focus()
    const [place, input] = [await page.locator('.field').boundingBox(), await field.boundingBox()]
    assert.equal(bottom(place), bottom(input), 'the empty remark takes no room')
    const announced = await watchAnnouncements(page)
    await page.keyboard.press('Enter')
    await page.getByText('Enter your email address.', { exact: true }).waitFor()
    assert.deepEqual(await announced(), ['Enter your email address.'])
  })

  test('A screen reader announces that no row matches a search, and the range of the rows that match another one', async () => {
    const { service, newPage } = pages()
    const { email, organization } = await administratorWithOrganization(service)
    await insertMembers(service, organization.id, 60)
    const page = await newPage()
    await openSession(page, service, email)
    await page.goto(`/organizations/${organization.slug}/members`)
    await page.getByText('1 to 50 of 61').waitFor()
    const announced = await watchAnnouncements(page)
    const search = page.getByLabel('Search by name or email address')
    await search.fill('no such member')
    await page.getByText('No member matches').waitFor()
    assert.match((await announced()).at(-1) ?? '', /^No member matches/)
    await search.fill('Person 55')
    await page.getByText('1 to 1 of 1').waitFor()
    assert.deepEqual(await announced(), ['1 to 1 of 1'])
    await search.fill('')
    await page.getByText('1 to 50 of 61').waitFor()
    await announced()
    await page.getByRole('button', { name: 'Next' }).press('Enter')
    await page.getByText('51 to 61 of 61').waitFor()
    assert.deepEqual(await announced(), ['51 to 61 of 61'])
  })

  test('A screen reader announces how many values a field of several has, and how many are wrong', async () => {
    const { service, newPage } = pages()
    const { email, organization } = await administratorWithOrganization(service)
    const page = await newPage()
    await openSession(page, service, email)
    await page.goto(`/organizations/${organization.slug}/invitations`)
    await page.getByText('No invitations yet').waitFor()
    await page.getByRole('textbox', { name: 'Email addresses' }).focus()
    const announced = await watchAnnouncements(page)
    await page.keyboard.type('one@example.com ')
    assert.deepEqual(await announced(), ['1 entered.'])
    await page.keyboard.type('wrong ')
    assert.deepEqual(await announced(), ['2 entered, 1 of them marked as wrong.'])
    await page.keyboard.press('Backspace')
    assert.deepEqual(await announced(), ['1 entered.'])
  })

  test('The field of a code says before that its sixth digit sends it', async () => {
    const { service, newPage } = pages()
    const page = await newPage()
    await page.goto('/sign-in')
    await fillSignIn(page, (await userWithTotp(service)).email)
    await heading(page, 'Enter the code')
    const remark = await page.getByLabel('Code of your authenticator app').getAttribute('aria-describedby')
    await page.locator(`[id="${remark}"]`).getByText('as soon as you enter the sixth digit').waitFor()
  })
})

function bottom(box: { y: number; height: number } | null): number | undefined {
  return box ? box.y + box.height : undefined
}
