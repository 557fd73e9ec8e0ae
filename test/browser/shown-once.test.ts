import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Dialog, Locator, Page } from 'playwright-core'
import { inBrowser } from '../support/pages.ts'
import { countRecoveryCodes, showRecoveryCodes } from '../support/recovery-codes.ts'
import { holdNext, loseNextResponse } from '../support/route-once.ts'
import { enableTotp } from '../support/two-step.ts'
import { until } from '../support/until.ts'
import { administratorWithOrganization, newMember, PASSWORD, type TestMember } from '../support/users.ts'
import { focused, heading, openSession, settled } from '../support/visits.ts'

const QUESTION = 'This page shows something only once. Leave without storing it?'

inBrowser('What is shown once', (pages) => {
  async function visit({ email }: Pick<TestMember, 'email'>, path: string): Promise<Page> {
    const page = await pages().newPage()
    await page.context().grantPermissions(['clipboard-write'])
    await openSession(page, pages().service, email)
    await page.goto(path)
    return page
  }

  /** @returns the button that rotates the API key */
  async function askForRotation(page: Page, name: string): Promise<Locator> {
    await page.getByRole('button', { name: `Manage ${name}` }).click()
    await page.getByRole('button', { name: `Rotate… ${name}` }).click()
    assert.equal(await focused(page), 'overlap')
    return page.getByRole('button', { name: 'Rotate this API key' })
  }

  async function rotate(page: Page, name: string): Promise<void> {
    await (await askForRotation(page, name)).click()
    const title = `The API key “${name}”`
    await page.getByRole('heading', { name: title }).waitFor()
    await until(async () => (await focused(page)) === title, 'the new API key has the focus')
  }

  /** @returns the button that replaces the secret of the app */
  async function askForSecret(page: Page, name: string): Promise<Locator> {
    await page.getByRole('button', { name: `Manage ${name}` }).click()
    await page.getByRole('button', { name: `Replace the secret… ${name}` }).click()
    return page.getByRole('button', { name: 'Replace the secret', exact: true })
  }

  /** The page of the apps of an organization that has two. */
  async function visitApps(): Promise<Page> {
    const founder = await administratorWithOrganization(pages().service)
    for (const name of ['first', 'second'])
      await founder.client.post('/api/auth/oauth2/create-client', {
        client_name: name,
        redirect_uris: [`https://${name}.example.com/callback`],
        organizationId: founder.organization.id,
      })
    return visit(founder, `/organizations/${founder.organization.slug}/apps`)
  }

  /** The page of the API keys of an organization that has two. */
  async function visitApiKeys(): Promise<Page> {
    const founder = await administratorWithOrganization(pages().service)
    for (const name of ['First', 'Second']) await founder.client.post('/api/auth/api-key/create', { name })
    return visit(founder, `/organizations/${founder.organization.slug}/api-keys`)
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

  const createKey = async (page: Page) => {
    await page.getByLabel('Name', { exact: true }).fill('Export')
    await page.getByRole('button', { name: 'Create API key' }).click()
    return page.getByLabel('API key', { exact: true })
  }

  /** Goes back, gives all questions the same answer, and waits until the page is left or shown again. */
  async function goBack(page: Page, answer: 'accept' | 'dismiss', path = new URL(page.url()).pathname) {
    const questions: string[] = []
    const listen = (dialog: Dialog) => {
      questions.push(dialog.message())
      return dialog[answer]()
    }
    page.on('dialog', listen)
    await page.goBack()
    await page.waitForURL((url) => url.pathname === path)
    if (answer === 'dismiss')
      await until(() => page.evaluate<boolean>('"guardId" in history.state'), 'the page is back')
    page.off('dialog', listen)
    assert.deepEqual(questions, [QUESTION])
  }

  test('Back leaves a new API key for another site only when the user agrees, and asks once', async () => {
    const founder = await administratorWithOrganization(pages().service)
    const page = await visit(founder, '/healthz')
    await page.goto(`/organizations/${founder.organization.slug}/api-keys`)
    const key = await createKey(page)
    const shown = await key.inputValue()
    for (const _ of [1, 2]) {
      await goBack(page, 'dismiss')
      assert.equal(await key.inputValue(), shown)
    }
    await goBack(page, 'accept', '/healthz')
  })

  test('Back leaves recovery codes only when the user agrees, and once they are stored, without a question', async () => {
    const page = await visit(await newMember(pages().service), '/account')
    for (const isStored of [false, true]) {
      await page.getByRole('link', { name: 'Security', exact: true }).click()
      const setting = page.getByRole('button', { name: /^(Set up|Change) two-step verification/ })
      await setting.click()
      if (isStored) {
        await page.getByRole('button', { name: 'New recovery codes' }).click()
        await page.getByLabel('Your password', { exact: true }).fill(PASSWORD)
        await page.getByRole('button', { name: 'Make new codes' }).click()
        await page.getByRole('heading', { name: 'Store your recovery codes' }).waitFor()
        await page.getByLabel('I have stored them').check()
        await page.getByRole('button', { name: 'Done' }).click()
        await page.getByText('Your new recovery codes replace the old ones.').waitFor()
        assert.equal(new URL(page.url()).hash, '', 'the setting stays closed')
        await page.goBack()
      } else {
        await showRecoveryCodes(pages().service, page)
        await goBack(page, 'dismiss')
        assert.equal(await countRecoveryCodes(page), 10)
        await until(async () => (await focused(page)) === 'Store your recovery codes', 'the focus is where it was')
        await goBack(page, 'accept', '/account')
      }
      await heading(page, 'Your account')
    }
  })

  test('One Back leaves the page once a new API key is stored, also after a reload, another key and Forward', async () => {
    const founder = await administratorWithOrganization(pages().service)
    await founder.client.post('/api/auth/api-key/create', { name: 'First' })
    const page = await visit(founder, '/healthz')
    const path = `/organizations/${founder.organization.slug}/api-keys`
    const stored = page.getByLabel('I have stored the key')
    const leave = async () => {
      await page.goBack()
      await page.waitForURL('/healthz')
    }
    await page.goto(path)
    await createKey(page)
    await stored.check()
    await leave()

    await page.goto(path)
    await createKey(page)
    await stored.check()
    await page.reload()
    await heading(page, 'API keys')
    await leave()

    await page.goto(path)
    await createKey(page)
    await stored.check()
    await rotate(page, 'First')
    await stored.check()
    await leave()
    for (const _ of [1, 2]) await page.goForward()
    await heading(page, 'API keys')
    await leave()
  })

  test('Forward shows the page again after a step over its second entry', async () => {
    const founder = await administratorWithOrganization(pages().service)
    const page = await visit(founder, `/organizations/${founder.organization.slug}`)
    await page.getByRole('link', { name: 'API keys', exact: true }).click()
    await createKey(page)
    await page.getByLabel('I have stored the key').check()
    await page.evaluate('history.go(-2)')
    await heading(page, 'Overview')
    await page.goForward()
    await heading(page, 'API keys')
  })

  test('Another setting opens over recovery codes only when the user agrees', async () => {
    const page = await visit(await newMember(pages().service), '/account/security#two-step')
    await showRecoveryCodes(pages().service, page)
    const change = page.getByRole('button', { name: 'Change your password' })
    assert.equal(await answerQuestion(page, 'dismiss', change), QUESTION)
    assert.equal(await countRecoveryCodes(page), 10)
    assert.equal(await answerQuestion(page, 'accept', change), QUESTION)
    await page.getByLabel('Current password', { exact: true }).waitFor()
    assert.equal(await countRecoveryCodes(page), 0)
  })

  test('A link to another place of the page closes recovery codes only when the user agrees', async () => {
    const page = await visit(await newMember(pages().service), '/account/security#two-step')
    await showRecoveryCodes(pages().service, page)
    const security = page.getByRole('link', { name: 'Security', exact: true })
    assert.equal(await answerQuestion(page, 'dismiss', security), QUESTION)
    assert.equal(await countRecoveryCodes(page), 10)
    assert.equal(await answerQuestion(page, 'accept', security), QUESTION)
    await page.getByRole('button', { name: 'Change two-step verification' }).waitFor()
    assert.equal(await countRecoveryCodes(page), 0)
  })

  test('A link leaves a new API key only when the user agrees', async () => {
    const founder = await administratorWithOrganization(pages().service)
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
    await page.goBack()
    await heading(page, 'API keys')
    await page.goBack()
    assert.ok(!page.url().includes('/api-keys'), 'the history has the page once')
  })

  test('A sign-out asks before the session ends', async () => {
    const founder = await administratorWithOrganization(pages().service)
    const page = await visit(founder, `/organizations/${founder.organization.slug}/api-keys`)
    await page.getByLabel('Name', { exact: true }).fill('Export')
    await page.getByRole('button', { name: 'Create API key' }).click()
    const signOut = page.getByRole('button', { name: 'Sign out' })
    await page.getByLabel('API key', { exact: true }).waitFor()
    assert.equal(await answerQuestion(page, 'dismiss', signOut), QUESTION)
    await page.getByLabel('I have stored the key').check()
    assert.equal((await page.request.get('/api/auth/get-session')).status(), 200)
    assert.notEqual(await (await page.request.get('/api/auth/get-session')).json(), null)
    await page.getByLabel('I have stored the key').uncheck()
    assert.equal(await answerQuestion(page, 'accept', signOut), QUESTION)
    await heading(page, 'Sign in')
  })

  test('A user whose session has ended leaves a new API key without a question', async () => {
    const { service } = pages()
    const founder = await administratorWithOrganization(service)
    const page = await visit(founder, `/organizations/${founder.organization.slug}/api-keys`)
    await page.getByLabel('Name', { exact: true }).fill('Export')
    await page.getByRole('button', { name: 'Create API key' }).click()
    await page.getByLabel('API key', { exact: true }).waitFor()
    const manage = page.getByRole('button', { name: 'Manage Export' })
    await manage.waitFor()
    // The page has asked for all its data again.
    await settled(page)
    await service.context.database.deleteFrom('sessions').where('userId', '=', founder.id).execute()
    await manage.click()
    await page.getByRole('button', { name: 'Disable Export' }).click()
    const leave = page.getByRole('button', { name: 'Leave this page' })
    assert.equal(await answerQuestion(page, 'dismiss', leave), undefined)
    await heading(page, 'Sign in')
  })

  test('The rotation of another API key asks while a new one is not stored', async () => {
    const page = await visitApiKeys()
    await rotate(page, 'First')
    const confirm = await askForRotation(page, 'Second')
    assert.equal(await answerQuestion(page, 'dismiss', confirm), QUESTION)
    await page.getByRole('heading', { name: 'The API key “First”' }).waitFor()
    await page.getByRole('button', { name: 'Rotate… Second' }).click()
    assert.equal(await answerQuestion(page, 'accept', confirm), QUESTION)
    await page.getByRole('heading', { name: 'The API key “Second”' }).waitFor()
  })

  test('The replacement of another secret asks while a new one is not stored', async () => {
    const page = await visitApps()
    await (await askForSecret(page, 'first')).click()
    const secret = await page.getByLabel('Client secret').inputValue()
    const second = await askForSecret(page, 'second')
    assert.equal(await answerQuestion(page, 'dismiss', second), QUESTION)
    assert.equal(await page.getByLabel('Client secret').inputValue(), secret)
  })

  test('A link leaves the page while a new API key is on its way only when the user agrees', async () => {
    const founder = await administratorWithOrganization(pages().service)
    const page = await visit(founder, `/organizations/${founder.organization.slug}/api-keys`)
    const members = page.getByRole('link', { name: 'Members', exact: true })
    for (const answer of ['dismiss', 'accept'] as const) {
      const held = await holdNext(page, '**/api-key/create')
      const key = await createKey(page)
      await held.sent
      assert.equal(await answerQuestion(page, answer, members), QUESTION)
      held.release()
      if (answer === 'accept') break
      assert.match(await key.inputValue(), /^acc_/)
      await page.getByLabel('I have stored the key').check()
      await page.getByRole('button', { name: 'Close', exact: true }).click()
    }
    await heading(page, 'Members')
  })

  test('Back leaves the page while a new API key is on its way only when the user agrees', async () => {
    const founder = await administratorWithOrganization(pages().service)
    const page = await visit(founder, '/healthz')
    await page.goto(`/organizations/${founder.organization.slug}/api-keys`)
    const held = await holdNext(page, '**/api-key/create')
    const key = await createKey(page)
    await held.sent
    await goBack(page, 'dismiss')
    held.release()
    assert.match(await key.inputValue(), /^acc_/)
    await goBack(page, 'accept', '/healthz')
  })

  test('One Back leaves the page without a question after a refused API key', async () => {
    const founder = await administratorWithOrganization(pages().service)
    const page = await visit(founder, '/healthz')
    await page.goto(`/organizations/${founder.organization.slug}/api-keys`)
    await page.route('**/api-key/create', (route) => route.abort('internetdisconnected'))
    await createKey(page)
    await page.getByText('No response came.').waitFor()
    await page.goBack()
    await page.waitForURL('/healthz')
  })

  test('Another new API key asks while the first one is on its way', async () => {
    const page = await visitApiKeys()
    const held = await holdNext(page, '**/api-key/rotate')
    await (await askForRotation(page, 'First')).click()
    await held.sent
    await page.getByLabel('Name', { exact: true }).fill('Export')
    const create = page.getByRole('button', { name: 'Create API key' })
    assert.equal(await answerQuestion(page, 'dismiss', create), QUESTION)
    const second = await askForRotation(page, 'Second')
    assert.equal(await answerQuestion(page, 'dismiss', second), QUESTION)
    held.release()
    await page.getByRole('heading', { name: 'The API key “First”' }).waitFor()
  })

  test('Another new secret asks while the first one is on its way', async () => {
    const page = await visitApps()
    const held = await holdNext(page, '**/client/rotate-secret')
    await (await askForSecret(page, 'first')).click()
    await held.sent
    await page.getByLabel('Name', { exact: true }).first().fill('Third')
    await page.getByLabel('Redirect URIs').first().fill('https://third.example.com/callback')
    const create = page.getByRole('button', { name: 'Connect the app' })
    assert.equal(await answerQuestion(page, 'dismiss', create), QUESTION)
    const second = await askForSecret(page, 'second')
    assert.equal(await answerQuestion(page, 'dismiss', second), QUESTION)
    held.release()
    await page.getByRole('heading', { name: 'Enter this in “first”' }).waitFor()
  })

  test('A link leaves a new app without a secret without a question', async () => {
    const founder = await administratorWithOrganization(pages().service)
    const page = await visit(founder, `/organizations/${founder.organization.slug}/apps`)
    await page.getByLabel('Name', { exact: true }).fill('Telephone')
    await page.getByLabel('Website without a server').check()
    await page.getByLabel('Redirect URIs').fill('https://telephone.example.com/callback')
    await page.getByRole('button', { name: 'Connect the app' }).click()
    await page.getByText('This app has no secret.').waitFor()
    const members = page.getByRole('link', { name: 'Members', exact: true })
    assert.equal(await answerQuestion(page, 'dismiss', members), undefined)
    await heading(page, 'Members')
  })

  test('Another setting opens while new recovery codes are on their way only when the user agrees', async () => {
    const page = await visit(await newMember(pages().service), '/account/security#two-step')
    const change = page.getByRole('button', { name: 'Change your password' })
    const verified = await holdNext(page, '**/two-factor/verify-totp')
    const shown = showRecoveryCodes(pages().service, page)
    await verified.sent
    assert.equal(await answerQuestion(page, 'dismiss', change), QUESTION)
    verified.release()
    await shown
    await page.getByLabel('I have stored them').check()
    await page.getByRole('button', { name: 'Done' }).click()

    await page.getByRole('button', { name: 'Change two-step verification' }).click()
    await page.getByRole('button', { name: 'New recovery codes' }).click()
    await page.getByLabel('Your password', { exact: true }).fill(PASSWORD)
    const made = await holdNext(page, '**/two-factor/generate-backup-codes')
    await page.getByRole('button', { name: 'Make new codes' }).click()
    await made.sent
    assert.equal(await answerQuestion(page, 'dismiss', change), QUESTION)
    made.release()
    await page.getByRole('heading', { name: 'Store your recovery codes' }).waitFor()
  })

  test('A lost response to a secret that is shown once says how to get another one', async () => {
    const { service } = pages()
    const apps = await visitApps()
    await loseNextResponse(apps, '**/oauth2/client/rotate-secret')
    const replace = await askForSecret(apps, 'first')
    await replace.click()
    await apps.getByText('The old secret may have stopped working: replace it again.').waitFor()
    await replace.click()
    await apps.getByLabel('Client secret').waitFor()

    const keys = await visitApiKeys()
    await loseNextResponse(keys, '**/api-key/rotate')
    await (await askForRotation(keys, 'First')).click()
    await keys.getByText('A new key with this name has replaced it. Rotate the new one.').waitFor()

    const user = await newMember(service)
    await enableTotp(service, user)
    const security = await visit(user, '/account/security#two-step')
    await security.getByRole('button', { name: 'New recovery codes' }).click()
    await security.getByLabel('Your password', { exact: true }).fill(PASSWORD)
    await loseNextResponse(security, '**/two-factor/generate-backup-codes')
    const make = security.getByRole('button', { name: 'Make new codes' })
    await make.click()
    await security.getByText('The old codes may have stopped working: make new ones again.').waitFor()
    await make.click()
    await security.getByRole('heading', { name: 'Store your recovery codes' }).waitFor()
  })

  test('A new API key or app whose response was lost is in the list, where it can be replaced', async () => {
    const keys = await visitApiKeys()
    await keys.getByLabel('Name', { exact: true }).fill('Export')
    await loseNextResponse(keys, '**/api-key/create')
    await keys.getByRole('button', { name: 'Create API key' }).click()
    await keys.getByText('If the list below has the key, rotate it: you then see a new one.').waitFor()
    await rotate(keys, 'Export')

    const apps = await visitApps()
    await apps.getByLabel('Name', { exact: true }).fill('Charts')
    await apps.getByLabel('Redirect URIs').fill('https://charts.example.com/callback')
    await loseNextResponse(apps, '**/oauth2/create-client')
    await apps.getByRole('button', { name: 'Connect the app' }).click()
    await apps.getByText('If the list below has the app, open it there: you can replace its secret.').waitFor()
    await (await askForSecret(apps, 'Charts')).click()
    await apps.getByLabel('Client secret').waitFor()
  })

  test('A second new API key is neither copied nor stored', async () => {
    const page = await visitApiKeys()
    await rotate(page, 'First')
    const copy = page.getByRole('button', { name: /^Cop/ }).first()
    await copy.click()
    await page.getByRole('button', { name: 'Copied' }).first().waitFor()
    await page.getByLabel('I have stored the key').check()
    await rotate(page, 'Second')
    assert.equal(await page.getByRole('button', { name: 'Copied' }).count(), 0)
    assert.equal(await page.getByLabel('I have stored the key').isChecked(), false)
    assert.ok(await page.getByRole('button', { name: 'Close', exact: true }).isDisabled())
  })

  test('A new API key and a new secret of an app stay when the address of the organization has changed elsewhere', async () => {
    const founder = await administratorWithOrganization(pages().service)
    const { id: organizationId, slug } = founder.organization
    const rename = async (to: string) => {
      const body = { organizationId, data: { slug: to } }
      assert.equal((await founder.client.post('/api/auth/organization/update', body)).status, 200)
    }
    const notice = (page: Page) => page.getByText('Example Works has another address now.')
    const page = await visit(founder, `/organizations/${slug}/api-keys`)
    await page.getByLabel('Name', { exact: true }).fill('Export')
    await rename(`${slug}-2`)
    await page.getByRole('button', { name: 'Create API key' }).click()
    await notice(page).waitFor()
    assert.match(await page.getByLabel('API key', { exact: true }).inputValue(), /^acc_/)

    const other = await visit(founder, `/organizations/${slug}-2/apps`)
    await other.getByLabel('Name', { exact: true }).fill('Graphs')
    await other.getByLabel('Redirect URIs').fill('https://graphs.example.com/callback')
    await rename(`${slug}-3`)
    await other.getByRole('button', { name: 'Connect the app' }).click()
    await notice(other).waitFor()
    assert.notEqual(await other.getByLabel('Client secret').inputValue(), '')
  })

  test('The details of a row open where the row is', async () => {
    const founder = await administratorWithOrganization(pages().service)
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
