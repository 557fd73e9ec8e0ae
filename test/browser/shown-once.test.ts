import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { inBrowser } from '../support/pages.ts'
import { appOfUri } from '../support/two-step.ts'
import { member, type Owner, owner, PASSWORD } from '../support/users.ts'
import { heading, signInByRequest } from '../support/visits.ts'

const QUESTION = 'What you see here is shown only once. Leave without storing it?'

inBrowser('What is shown once', (pages) => {
  async function visit({ email }: Pick<Owner, 'email'>, path: string): Promise<Page> {
    const page = await pages().newPage()
    await signInByRequest(page, email)
    await page.goto(path)
    return page
  }

  const newMember = async () => member(pages().service, await owner(pages().service))

  async function rotate(page: Page, name: string): Promise<void> {
    await page.getByRole('button', { name: `Manage ${name}` }).click()
    await page.getByRole('button', { name: `Rotate… ${name}` }).click()
    await page.getByRole('button', { name: 'Rotate this API key' }).click()
    await page.getByRole('heading', { name: `The API key “${name}”` }).waitFor()
  }

  /** Sets two-step verification up, until the recovery codes are shown. */
  async function showRecoveryCodes(page: Page): Promise<void> {
    const row = page.getByRole('region', { name: 'Two-step verification' })
    await row.getByLabel('Your password', { exact: true }).fill(PASSWORD)
    await row.getByRole('button', { name: 'Go on', exact: true }).click()
    const uri = await row.getByRole('link', { name: 'Open it with the key' }).getAttribute('href')
    const code = appOfUri(uri ?? '').codeAt(pages().service.context.now())
    await page.getByLabel('Code of your authenticator app').fill(code)
    await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor()
  }

  /** @returns the question that the click causes */
  async function answerQuestion(
    page: Page,
    answer: 'accept' | 'dismiss',
    button: Locator,
  ): Promise<string | undefined> {
    let question: string | undefined
    page.once('dialog', (dialog) => {
      question = dialog.message()
      return dialog[answer]()
    })
    await button.click()
    return question
  }

  const countCodes = (page: Page) => page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').count()

  test('Recovery codes stay while requests fail', async () => {
    const page = await visit(await newMember(), '/account/security#two-step')
    await showRecoveryCodes(page)
    await page.context().setOffline(true)
    const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('get-status'))
    await page.getByRole('button', { name: 'Check the connection' }).click()
    await failed
    await page.getByRole('button', { name: 'Check the connection' }).waitFor()
    assert.equal(await countCodes(page), 10)
  })

  test('Another setting opens over recovery codes only when the user agrees', async () => {
    const page = await visit(await newMember(), '/account/security#two-step')
    await showRecoveryCodes(page)
    const change = page.getByRole('button', { name: 'Change your password' })
    assert.equal(await answerQuestion(page, 'dismiss', change), QUESTION)
    assert.equal(await countCodes(page), 10)
    assert.equal(await answerQuestion(page, 'accept', change), QUESTION)
    await page.getByLabel('Current password', { exact: true }).waitFor()
    assert.equal(await countCodes(page), 0)
  })

  test('A link leaves a new API key only when the user agrees', async () => {
    const founder = await owner(pages().service)
    const page = await visit(founder, `/organizations/${founder.organization.slug}/api-keys`)
    await page.getByLabel('Name', { exact: true }).fill('Export')
    await page.getByRole('button', { name: 'Create API key' }).click()
    const key = page.getByLabel('API key', { exact: true })
    const shown = await key.inputValue()
    const members = page.getByRole('link', { name: 'Members', exact: true })
    assert.equal(await answerQuestion(page, 'dismiss', members), QUESTION)
    assert.equal(await key.inputValue(), shown)
    assert.equal(await answerQuestion(page, 'accept', members), QUESTION)
    await heading(page, 'Members')
  })

  test('A second new API key is neither copied nor stored', async () => {
    const founder = await owner(pages().service)
    for (const name of ['First', 'Second']) await founder.client.post('/api/auth/api-key/create', { name })
    const page = await visit(founder, `/organizations/${founder.organization.slug}/api-keys`)
    await rotate(page, 'First')
    await page.getByLabel('I have stored the key').check()
    await rotate(page, 'Second')
    assert.equal(await page.getByLabel('I have stored the key').isChecked(), false)
    assert.ok(await page.getByRole('button', { name: 'Close', exact: true }).isDisabled())
  })

  test('The details of a row open where the row is', async () => {
    const founder = await owner(pages().service)
    for (const name of ['One', 'Two', 'Three', 'Four', 'Five'])
      await founder.client.post('/api/auth/api-key/create', { name })
    const page = await visit(founder, `/organizations/${founder.organization.slug}/api-keys`)
    await page.setViewportSize({ width: 320, height: 640 })
    await page.getByRole('button', { name: 'Manage One' }).click()
    const rotation = page.getByRole('button', { name: 'Rotate… One' })
    await rotation.waitFor()
    assert.ok(Number(await page.evaluate('scrollY')) > 0)
  })
})
