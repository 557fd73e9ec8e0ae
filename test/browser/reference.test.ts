import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser } from '../support/pages.ts'
import { heading } from '../support/visits.ts'

inBrowser('The API reference', (house) => {
  test('has every call of the OpenAPI document', async () => {
    const { service, visitor } = house()
    const { body } = await service.client().get('/api/auth/openapi.json')
    const calls = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const page = await visitor()
    await page.goto('/api/auth/reference')
    await page.getByText(`${calls.length} calls`).waitFor()
    assert.deepEqual((await page.locator('.operation-address').allTextContents()).toSorted(), calls.toSorted())
  })

  test('finds a call by its path, its words or an error code, and says when there is none', async () => {
    const page = await house().visitor()
    await page.goto('/api/auth/reference')
    const search = page.getByLabel('Search')
    await search.fill('sign-in/email')
    await page.getByText('1 call', { exact: true }).waitFor()
    await search.fill('invalid_email_or_password')
    await page.locator('summary').getByText('/api/auth/sign-in/email').waitFor()
    await search.fill('no such words anywhere')
    await page.getByText('0 calls').waitFor()
  })

  test('opens the call that a link names, with who may call it, its fields and its errors', async () => {
    const { service, visitor } = house()
    const page = await visitor()
    await page.goto('/api/auth/reference#post-api-auth-sign-up-email')
    const call = page.locator('details[open]')
    await call.getByText('Access: anyone').waitFor()
    assert.equal(await call.count(), 1)
    const text = (await call.textContent()) ?? ''
    assert.match(text, /password string, required/)
    assert.match(text, /rememberMe boolean, optional/)
    assert.match(text, /422 USER_ALREADY_EXISTS/)
    const example = `curl '${service.baseUrl}/api/auth/sign-up/email' --json '{"name":"…","email":"…","password":"…"}'`
    assert.ok(text.includes(example), text)

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await call.getByRole('button', { name: 'Copy' }).click()
    await call.getByText('Copied').waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), example)

    await page.evaluate("location.hash = 'get-api-token'")
    await page.locator('details[open] > summary').getByText('/api/token').waitFor()
    await heading(page, 'API reference')
  })
})
