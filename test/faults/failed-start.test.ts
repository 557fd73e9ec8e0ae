import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { findFreePort } from '../support/free-port.ts'
import { newSecret, runAccounts } from '../support/process.ts'
import { createTestDatabase } from '../support/test-database.ts'

test('A start on a taken port fails with one sentence, for the service port and for the metrics port', async (t) => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  t.after(() => taken.close())
  const PORT = String((taken.address() as AddressInfo).port)
  const testDatabase = await createTestDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const settings = { DATABASE_URL: testDatabase.url, SECRET: newSecret(), PORT }
  for (const more of [{}, { METRICS_PORT: String(await findFreePort()) }]) {
    const start = runAccounts(['start'], { ...settings, ...more })
    t.after(() => start.child.kill('SIGKILL'))
    assert.equal(await start.ended, 1)
    assert.match(start.output(), /^The service can't listen: .+ EADDRINUSE.+\. See PORT, HOST and METRICS_PORT\.$/m)
    assert.doesNotMatch(start.output(), / at /)
  }
})

test('A command without a reachable PostgreSQL fails with one sentence', async () => {
  const port = await findFreePort()
  const DATABASE_URL = `postgres://accounts:hunter2@127.0.0.1:${port}/accounts`
  for (const words of [['start'], ['keys', 'list']]) {
    const command = runAccounts(words, { DATABASE_URL, SECRET: newSecret() })
    assert.equal(await command.ended, 1)
    assert.match(command.output(), /^The database or a port is not available: .+ECONNREFUSED.+ Check DATABASE_URL/)
    assert.doesNotMatch(command.output(), / at |hunter2/)
  }
})
