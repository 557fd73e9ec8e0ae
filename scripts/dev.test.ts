import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createClient } from '../test/support/client.ts'
import { getFreePortPair } from '../test/support/free-port.ts'
import { createTestDatabase } from '../test/support/test-database.ts'
import { until } from '../test/support/until.ts'
import { PASSWORD } from '../test/support/users.ts'

const root = join(import.meta.dirname, '..')

test('npm run dev serves pages from Vite and the service on one origin, and restarts the service after a change', async (t) => {
  const testDatabase = await createTestDatabase('sqlite')
  t.after(() => testDatabase.drop())
  // The service listens on the next port, behind Vite.
  const port = await getFreePortPair()
  const child = spawn(process.execPath, [join(root, 'scripts/dev.ts')], {
    env: { ...process.env, PORT: String(port), DATABASE_URL: testDatabase.url },
    // A new process group, so that the test can also kill the child processes.
    detached: true,
  })
  const ended = once(child, 'close')
  t.after(() => child.exitCode === null && process.kill(-child.pid!, 'SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const starts = () => output.split('Accounts is ready').length - 1
  await until(() => starts() === 1, 'the service starts')

  const baseUrl = `http://localhost:${port}`
  assert.ok(output.includes(`Accounts is ready at ${baseUrl}`))
  const client = createClient(baseUrl)
  for (const page of ['/sign-in', '/api/auth/reference']) {
    const { body } = await client.get(page, { headers: { accept: 'text/html' } })
    assert.match(body, /@vite\/client/, page)
  }
  const token = /\/setup#([\w-]+)/.exec(output)?.[1]
  const setup = { token, name: 'Ada Admin', email: 'ada@example.com', password: PASSWORD }
  assert.equal((await client.post('/api/setup', setup)).status, 200, output)
  assert.equal((await client.get('/api/auth/get-session')).body.user.email, 'ada@example.com')
  const { headers } = await client.get('/invite/unknown')
  assert.equal(headers.get('location'), '/invitation?error=INVITATION_NOT_FOUND')
  assert.deepEqual((await client.get('/dev/mailbox/emails')).body.emails, [])
  assert.equal((await client.get('/.well-known/openid-configuration')).body.issuer, baseUrl)

  await utimes(join(root, 'server/app.ts'), new Date(), new Date())
  await until(() => starts() === 2, 'the service starts again')
  assert.equal((await client.get('/api/auth/get-session')).body.user.email, 'ada@example.com')

  child.kill('SIGTERM')
  // `close` is emitted after every process that writes to the output has ended.
  await ended
})
