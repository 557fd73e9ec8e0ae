import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchAnnouncements } from '../support/announcements.ts'
import { inBrowser } from '../support/pages.ts'

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
})

function bottom(box: { y: number; height: number } | null): number | undefined {
  return box ? box.y + box.height : undefined
}
