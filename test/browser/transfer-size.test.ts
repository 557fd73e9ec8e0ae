import assert from 'node:assert/strict'
import { globSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { inBrowser } from '../support/pages.ts'
import { administrator } from '../support/users.ts'
import { heading, loaded, openSession } from '../support/visits.ts'

const SIGN_IN_BYTES_MAXIMUM = 100_000
const CHUNK_BYTES_MAXIMUM = 60_000
const SCRIPTS_MAXIMUM = 6

const PAGES = [
  { path: '/account', title: 'Your account' },
  { path: '/account/security', title: 'Security' },
  { path: '/staff/users', title: 'Users' },
  { path: '/verify-email', title: 'Verify your email address' },
]

inBrowser('Transfer size', (pages) => {
  test('/sign-in and all that it loads are at most 100 kB compressed', async () => {
    const page = await pages().newPage()
    await page.goto('/sign-in', { waitUntil: 'networkidle' })
    await heading(page, 'Sign in')
    const sizes = await page.evaluate(() => {
      const entries = performance.getEntries().filter((entry) => entry instanceof PerformanceResourceTiming)
      return entries.map(({ name, encodedBodySize }) => ({ name, encodedBodySize }))
    })
    const total = sizes.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
    assert.ok(sizes.length > 3 && total > 10_000, 'the sizes are measured')
    assert.ok(total <= SIGN_IN_BYTES_MAXIMUM, `${total} bytes: ${JSON.stringify(sizes)}`)
  })

  for (const { path, title } of PAGES)
    test(`${path} loads its code in at most ${SCRIPTS_MAXIMUM} files`, async () => {
      const { service, newPage } = pages()
      const page = await newPage()
      await openSession(page, service, (await administrator(service)).email)
      await page.goto(path)
      await loaded(page, title)
      const scripts = await page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .filter(({ name }) => name.endsWith('.js'))
          .map(({ name }) => name),
      )
      assert.ok(scripts.length > 1, 'the files are found')
      assert.ok(scripts.length <= SCRIPTS_MAXIMUM, scripts.join('\n'))
    })

  test('The code of the pages of each folder is at most 60 kB compressed', () => {
    const chunks = globSync('web/dist/assets/pages-*.js.br').map((name) => ({ name, size: statSync(name).size }))
    assert.ok(chunks.length >= 10, 'the chunks are found')
    assert.deepEqual(
      chunks.filter(({ size }) => size > CHUNK_BYTES_MAXIMUM),
      [],
    )
  })
})
