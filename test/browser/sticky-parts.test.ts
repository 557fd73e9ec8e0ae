import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { insertMembers } from '../support/many-members.ts'
import { inBrowser } from '../support/pages.ts'
import { administrator, administratorWithOrganization, newMember } from '../support/users.ts'
import { focused, impersonate, loaded, openAccount, openSession, waitForFrames } from '../support/visits.ts'

inBrowser('Parts that stay in view', (pages) => {
  test('The offline bar stays in view while the page scrolls, and the skip link is above it', async () => {
    const { service, newPage } = pages()
    const page = await newPage({ viewport: { width: 320, height: 640 } })
    await openSession(page, service, (await newMember(service)).email)
    await page.goto('/account/security')
    await loaded(page, 'Security')
    await page.evaluate('scrollTo(0, 600)')
    await goOffline(page)
    assert.equal(await isCovered(page.getByRole('button', { name: 'Check the connection' })), false)
    const skipLink = page.getByRole('link', { name: 'Skip to the content' })
    await skipLink.focus()
    assert.equal(await isCovered(skipLink), false)
  })

  test('The offline bar covers no focused control and not the impersonation bar', async () => {
    const { service, newPage } = pages()
    const { id } = await newMember(service)
    const page = await newPage({ viewport: { width: 320, height: 400 } })
    await openAccount(page, service, (await administrator(service)).email)
    for (const isImpersonated of [false, true]) {
      if (isImpersonated) await impersonate(page, id)
      await page.goto('/account')
      await loaded(page, 'Your account')
      await goOffline(page)
      const controls = page.getByRole('main').locator(':is(button, a, input:not([type=file])):visible')
      for (const control of await controls.all()) {
        await control.evaluate((element) =>
          element.ownerDocument.defaultView.scrollBy(0, element.getBoundingClientRect().top),
        )
        await control.focus()
        assert.equal(await isCovered(control), false, await focused(page))
      }
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      await waitForFrames(page)
      if (isImpersonated) assert.equal(await isCovered(page.getByText('You are impersonating')), false)
      await page.context().setOffline(false)
    }
  })

  test('The head of a table and the navigation stay below the offline bar', async () => {
    const { service, newPage } = pages()
    const first = await administratorWithOrganization(service)
    await insertMembers(service, first.organization.id, 20)
    const page = await newPage({ viewport: { width: 1280, height: 500 } })
    await openSession(page, service, first.email)
    await page.goto(`/organizations/${first.organization.slug}/members`)
    await page.getByText('1 to 21 of 21').waitFor()
    await goOffline(page)
    await page.evaluate('scrollTo(0, 600)')
    await waitForFrames(page)
    assert.equal(await isCovered(page.getByRole('button', { name: 'Email address' })), false)
    assert.equal(await isCovered(page.locator('.rail').getByRole('link').first()), false)
  })
})

async function goOffline(page: Page): Promise<void> {
  await page.context().setOffline(true)
  await page.getByText('You are offline').waitFor()
}

/** Whether the center of a place is out of view, or below another part of the page. */
function isCovered(place: Locator): Promise<boolean> {
  return place.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect()
    return !element.contains(element.ownerDocument.elementFromPoint(x + width / 2, y + height / 2))
  })
}
