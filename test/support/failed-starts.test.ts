import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { borrowBrowser, returnBrowser } from './browser.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

const SUITES = `import { test } from 'node:test'
  import { inBrowser } from '${pathToFileURL(join(import.meta.dirname, 'pages.ts'))}'
  inBrowser('A suite on a taken port', () => test('is not reached', () => {}), { PORT: process.env.TAKEN_PORT })
  inBrowser('The next suite', (pages) => test('opens a page', async () => {
    const page = await pages().newPage()
    await page.goto('/sign-in')
  }))`

test('A service that does not start fails its own suite only, and leaves no database', {
  timeout: 120_000,
}, async (t) => {
  const TMPDIR = createTemporaryFolder(t)
  // Without this variable, the new process reports its tests by itself.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(process.execPath, ['--input-type=module', '--test-reporter=spec', '-e', SUITES], {
    env: { ...env, TMPDIR, TAKEN_PORT: await takePort(t) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const ended = once(child, 'close')
  const output = await text(child.stdout)
  assert.deepEqual(await ended, [1, null], output)
  assert.match(output, /✖ is not reached/)
  assert.match(output, /✔ opens a page/)
  const left = await readdir(TMPDIR)
  assert.deepEqual(
    left.filter((name) => name.startsWith('accounts-test-')),
    [],
  )
})

test('borrowBrowser starts another browser after one that did not start', async (t) => {
  const { TMPDIR } = process.env
  const setFolder = (path = '') => {
    process.env.TMPDIR = path
  }
  t.after(() => setFolder(TMPDIR))
  setFolder('/dev/null')
  await assert.rejects(borrowBrowser(), /ENOTDIR/)
  setFolder(TMPDIR)
  const browser = await borrowBrowser()
  const closed = new Promise((resolve) => browser.once('disconnected', resolve))
  returnBrowser()
  await closed
})

async function takePort(t: TestContext): Promise<string> {
  const server = createServer()
  t.after(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return String((server.address() as AddressInfo).port)
}
