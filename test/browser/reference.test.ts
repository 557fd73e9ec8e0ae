import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser } from '../support/pages.ts'
import { heading } from '../support/visits.ts'

inBrowser('API reference', (pages) => {
  test('The API reference has every endpoint of the OpenAPI document', async () => {
    const { service, newPage } = pages()
    const { body } = await service.client().get('/api/auth/openapi.json')
    const endpoints = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const page = await newPage()
    await page.goto('/api/auth/reference')
    await page.getByText(`${endpoints.length} endpoints`).waitFor()
    assert.deepEqual((await page.locator('.operation-address').allTextContents()).toSorted(), endpoints.toSorted())
    const groups = await page.getByRole('heading', { level: 2 }).allTextContents()
    assert.deepEqual(
      groups.filter((name) => /^[a-z]/.test(name)),
      [],
      'each group has a name in words',
    )
  })

  test('The API reference finds endpoints by path, words or error code, and shows the number', async () => {
    const page = await pages().newPage()
    await page.goto('/api/auth/reference')
    const search = page.getByLabel('Search')
    await search.fill('sign-in/email')
    await page.getByText('1 endpoint', { exact: true }).waitFor()
    await search.fill('invalid_email_or_password')
    await page.locator('summary').getByText('/api/auth/sign-in/email').waitFor()
    await search.fill('no such words anywhere')
    await page.getByText('0 endpoints').waitFor()
  })

  test('A link opens its endpoint, with its access, fields and errors', async () => {
    const { service, newPage } = pages()
    const page = await newPage()
    await page.goto('/api/auth/reference#post-api-auth-sign-up-email')
    const call = page.locator('details[open]')
    await call.getByText('Access: with or without a session').waitFor()
    assert.equal(await call.count(), 1)
    const text = (await call.textContent()) ?? ''
    assert.match(text, /password string, required/)
    assert.match(text, /rememberMe boolean, optional/)
    assert.match(text, /422 USER_ALREADY_EXISTS/)
    const inCurl = `curl '${service.baseUrl}/api/auth/sign-up/email' --json '{"name":"…","email":"…","password":"…"}'`
    assert.ok(text.includes(inCurl), text)

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await call.getByRole('button', { name: 'Copy for curl' }).click()
    await call.getByText('Copied').waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), inCurl)

    const inClient = 'await authClient.signUp.email({ name: "…", email: "…", password: "…" })'
    await call.getByRole('button', { name: 'Copy for official client' }).click()
    await call.getByRole('button', { name: 'Copied for official client' }).waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), inClient)

    await call.getByText('Example', { exact: true }).click()
    const example = JSON.parse((await call.locator('pre').textContent()) ?? '')
    assert.equal(example.user.email, 'hilda.hire@example.com')

    await page.evaluate("location.hash = 'get-api-auth-reset-password-token'")
    const inPath = page.locator('details[open]').filter({ hasText: '/api/auth/reset-password/{token}' })
    await inPath.getByText(`${service.baseUrl}/api/auth/reset-password/…`).waitFor()
    assert.match((await inPath.textContent()) ?? '', /Headers.*x-session-id string, optional/)

    await page.evaluate("location.hash = 'get-api-token'")
    await page.locator('details[open] > summary').getByText('/api/token').waitFor()
    await heading(page, 'API reference')
  })
})
