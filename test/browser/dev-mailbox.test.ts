import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser } from '../support/pages.ts'
import { administratorWithOrganization, invite, newEmail } from '../support/users.ts'

inBrowser('Dev mailbox', (pages) => {
  test('The dev mailbox opens with the newest email, which stays open when another one arrives', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    const [first, second] = [newEmail(), newEmail()]
    await invite(service, founder, first)
    const page = await newPage()
    await page.goto('/dev/mailbox')
    const list = page.getByRole('list', { name: 'Emails, newest first' })
    const shown = page.getByRole('article').locator('header')
    await shown.getByText(`To ${first}`).waitFor()
    await page.getByRole('button', { name: 'Plain text' }).click()
    await invite(service, founder, second)
    await list.getByRole('button', { name: second }).waitFor()
    assert.equal(await shown.getByText(`To ${first}`).count(), 1)
    assert.equal(await shown.getByRole('button', { name: 'Plain text', pressed: true }).count(), 1)
    await list.getByRole('button', { name: second }).click()
    await shown.getByText(`To ${second}`).waitFor()
  })

  test('The shown email and its format are recognizable in forced colors', async () => {
    const { service, newPage } = pages()
    const founder = await administratorWithOrganization(service)
    for (const email of [newEmail(), newEmail()]) await invite(service, founder, email)
    const page = await newPage()
    await page.emulateMedia({ forcedColors: 'active' })
    await page.goto('/dev/mailbox')
    const outlines = (selector: string) =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll('${selector}')].map((button) => getComputedStyle(button).outlineStyle)`,
      )
    const emails = page.getByRole('list', { name: 'Emails, newest first' }).getByRole('button')
    await emails.nth(1).waitFor()
    const [shown, ...others] = await outlines('.emails button')
    assert.deepEqual([shown, ...new Set(others)], ['solid', 'none'])
    const formats = await outlines('.choices button')
    assert.deepEqual(formats.toSorted(), ['none', 'solid'])
  })
})
