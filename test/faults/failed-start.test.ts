import assert from 'node:assert/strict'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '../support/client.ts'
import { startDatabaseProxy } from '../support/database-proxy.ts'
import { getFreePort } from '../support/free-port.ts'
import { createMigratedDatabase } from '../support/migrated-database.ts'
import { newSecret, printedSetupToken, runAccounts, startProcess } from '../support/process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { PASSWORD } from '../support/users.ts'

/** Longer than a request may wait. */
const STALL_MILLISECONDS = 2_500

test('A start on a taken port fails with one sentence, for the service port and for the metrics port', async (t) => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  t.after(() => taken.close())
  const PORT = String((taken.address() as AddressInfo).port)
  const testDatabase = await createMigratedDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const settings = { DATABASE_URL: testDatabase.url, SECRET: newSecret(), HOST: '127.0.0.1', PORT }
  const free = String(await getFreePort())
  for (const more of [{}, { METRICS_PORT: free }, { PORT: free, METRICS_PORT: PORT }]) {
    const start = runAccounts(['start'], { ...settings, ...more })
    t.after(() => start.child.kill('SIGKILL'))
    assert.equal(await start.ended, 1)
    assert.match(start.output(), /^The service can't listen: .+ EADDRINUSE.+\. See PORT, HOST and METRICS_PORT\.$/m)
    assert.doesNotMatch(start.output(), / at /)
  }
})

test('A start with an unknown host in HOST fails with one sentence about HOST', async (t) => {
  const testDatabase = await createMigratedDatabase('sqlite')
  t.after(() => testDatabase.drop())
  // The resolver refuses such a long label without asking a name server.
  const HOST = `${'x'.repeat(64)}.invalid`
  const settings = { DATABASE_URL: testDatabase.url, SECRET: newSecret(), HOST, SMTP_URL: 'smtp://127.0.0.1:25' }
  const free = String(await getFreePort())
  for (const more of [{ PORT: free }, { PORT: free, METRICS_PORT: String(await getFreePort()) }]) {
    const start = runAccounts(['start'], { ...settings, ...more })
    t.after(() => start.child.kill('SIGKILL'))
    assert.equal(await start.ended, 1)
    assert.match(start.output(), /^The service can't listen: getaddrinfo .+\. See PORT, HOST and METRICS_PORT\.$/m)
  }
})

test('A command without a reachable PostgreSQL fails with one sentence', async () => {
  const port = await getFreePort()
  const DATABASE_URL = `postgres://accounts:hunter2@127.0.0.1:${port}/accounts`
  for (const words of [['start'], ['keys', 'list']]) {
    const command = runAccounts(words, { DATABASE_URL, SECRET: newSecret() })
    assert.equal(await command.ended, 1)
    assert.match(
      command.output(),
      /^The database of DATABASE_URL can't be used: .+ECONNREFUSED.+\. Start PostgreSQL, or check the host/,
    )
    assert.doesNotMatch(command.output(), / at |hunter2/)
  }
})

test('A start waits for a PostgreSQL that stalls for a moment', async (t) => {
  const testDatabase = await createMigratedDatabase('postgres')
  t.after(() => testDatabase.drop())
  const proxy = await startDatabaseProxy(testDatabase.url)
  t.after(() => proxy.close())
  const settings = { DATABASE_URL: proxy.url, SECRET: newSecret(), PORT: String(await getFreePort()) }
  const start = runAccounts(['start'], settings)
  t.after(() => start.child.kill('SIGKILL'))
  await until(() => start.output().includes('Accounts is starting'), 'the database is migrated')
  proxy.set('paused')
  await pause(STALL_MILLISECONDS)
  proxy.set('open')
  await until(() => start.child.exitCode !== null || start.output().includes('Accounts is ready'), 'the start ends')
  assert.match(start.output(), /setup#.+Accounts is ready/s)
})

test('A second start on the taken port prints no setup link, and the link of the first start stays valid', async (t) => {
  const testDatabase = await createMigratedDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const SECRET = newSecret()
  const first = await startProcess(testDatabase.url, { SECRET })
  t.after(() => first.child.kill('SIGKILL'))
  const again = { DATABASE_URL: testDatabase.url, SECRET, PORT: String(first.port) }
  const second = runAccounts(['start'], again)
  t.after(() => second.child.kill('SIGKILL'))
  assert.equal(await second.ended, 1)
  assert.doesNotMatch(second.output(), /setup#/)
  const ada = { name: 'Ada Admin', email: 'ada@example.com', password: PASSWORD, token: printedSetupToken(first) }
  assert.equal((await createClient(first.baseUrl).post('/api/setup', ada)).status, 200)
})

test('Several workers on a taken port fail with one sentence before they start, and print no setup link', async (t) => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  t.after(() => taken.close())
  const testDatabase = await createMigratedDatabase('postgres')
  t.after(() => testDatabase.drop())
  const PORT = String((taken.address() as AddressInfo).port)
  const settings = { DATABASE_URL: testDatabase.url, SECRET: newSecret(), HOST: '127.0.0.1', WORKERS: '2' }
  for (const ports of [{ PORT }, { PORT: String(await getFreePort()), METRICS_PORT: PORT }]) {
    const start = runAccounts(['start'], { ...settings, ...ports })
    t.after(() => start.child.kill('SIGKILL'))
    assert.equal(await start.ended, 1)
    assert.equal(start.output().match(/EADDRINUSE/g)?.length, 1)
    assert.doesNotMatch(start.output(), /setup#| at |worker/)
  }
})

test('A start without a usable folder, or on a full disk, fails with one sentence', async (t) => {
  const folder = createTemporaryFolder(t)
  writeFileSync(join(folder, 'file'), '')
  const SECRET = newSecret()
  // Root may write to every folder. A file in the place of the folder stops root, too.
  const inFile = `sqlite:${folder}/file/accounts.db`
  const onFullDisk = `sqlite:${folder}/accounts.db`
  const cases: [environment: Record<string, string>, fileBytesMaximum: number | undefined, sentence: RegExp][] = [
    [
      { DATABASE_URL: inFile, SECRET },
      undefined,
      /^A file can't be used: EEXIST: .+correct the permissions of the folder, .+\n$/,
    ],
    [{ DATABASE_URL: inFile }, undefined, /The file .+ can't be read \(ENOTDIR: .+\n$/],
    [
      { DATABASE_URL: onFullDisk },
      512,
      /^The database of DATABASE_URL can't be used: .+\. Make room on the disk .+\n$/,
    ],
    [
      { DATABASE_URL: onFullDisk, SECRET },
      20 * 1024,
      /^The database of DATABASE_URL can't be used: .+\. Make room on the disk .+\n$/,
    ],
  ]
  for (const [environment, fileBytesMaximum, sentence] of cases) {
    rmSync(join(folder, 'accounts.db'), { force: true })
    const limits = fileBytesMaximum === undefined ? {} : { fileBytesMaximum }
    const start = runAccounts(['start'], environment, limits)
    t.after(() => start.child.kill('SIGKILL'))
    assert.equal(await start.ended, 1)
    assert.match(start.output(), sentence)
    assert.doesNotMatch(start.output(), /^ +at /m)
  }
})

test('A start with a misspelt setting fails, names the right one and creates nothing', async (t) => {
  const folder = createTemporaryFolder(t)
  const start = runAccounts(['start'], { DATABSE_URL: `sqlite:${folder}/accounts.db` })
  t.after(() => start.child.kill('SIGKILL'))
  assert.equal(await start.ended, 1)
  assert.match(start.output(), /DATABSE_URL is no setting\. Did you mean DATABASE_URL\?/)
  assert.deepEqual(readdirSync(folder), [])
})
