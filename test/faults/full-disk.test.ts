import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { DAY_MILLISECONDS } from '../../server/platform/time/time-units.ts'
import { createClient } from '../support/client.ts'
import { newSecret, printedSetupToken, startProcess } from '../support/process.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'
import { PASSWORD } from '../support/users.ts'

const ADA = { name: 'Ada 0', email: 'ada@example.com', password: PASSWORD }
/** Enough for a new database and some dozen changes. */
const FILE_BYTES_MAXIMUM = 2 * 1024 * 1024
/** The limit is 5 s after there is space again. The rest is for a busy test machine. */
const RECOVERY_MILLISECONDS = 10_000

test('On a full disk under SQLite, changes and readiness return 503 and reads succeed, until there is space again', async (t) => {
  const testDatabase = await createTestDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const limits = { fileBytesMaximum: FILE_BYTES_MAXIMUM }
  const service = await startProcess(testDatabase.url, { SECRET: newSecret() }, limits)
  t.after(() => service.child.kill('SIGKILL'))
  const client = createClient(service.baseUrl)
  const setup = await client.post('/api/setup', { ...ADA, token: printedSetupToken(service) })
  assert.equal(setup.status, 200, JSON.stringify(setup.body))
  assert.equal((await client.get('/readyz')).status, 200)
  const rename = (name: string) => client.post('/api/auth/update-user', { name })

  const { email, password } = ADA
  const signIn = () => createClient(service.baseUrl).post('/api/auth/sign-in/email', { email, password })

  // This process has no file size limit. While it reads, no checkpoint makes room in the -wal file.
  const elsewhere = new DatabaseSync(testDatabase.url.slice('sqlite:'.length))
  t.after(() => elsewhere.close())
  elsewhere.exec('begin; select 1 from users')

  let acknowledged = 0
  // A small change may still fit when a larger one does not.
  for (let answers = [setup]; answers.some(({ status }) => status === 200); ) {
    answers = [await rename(`Ada ${acknowledged + 1}`), await signIn()]
    if (answers[0]?.status === 200) acknowledged += 1
    for (const { status, body } of answers)
      assert.ok(status === 200 || body.code === 'SERVICE_UNAVAILABLE', JSON.stringify(body))
  }
  assert.ok(acknowledged > 0)
  const name = async () => (await client.get('/api/auth/get-session')).body.user.name
  // /readyz writes at most once a second and returns the last result in between.
  await until(async () => (await client.get('/readyz')).status === 503, 'readiness ends')
  const { body: system } = await client.get('/api/auth/admin/get-system')
  const testWrite = system.checks.find(({ name }: { name: string }) => name === 'test write')
  assert.match(testWrite.message, /\. Make room on the disk of DATABASE_URL\. /)
  for (let round = 0; round < 5; round += 1) {
    assert.equal((await rename('Ada Lost')).status, 503)
    assert.equal((await signIn()).status, 503)
    assert.equal((await client.get('/readyz')).status, 503)
    assert.equal((await client.get('/healthz')).status, 200)
    assert.equal(await name(), `Ada ${acknowledged}`)
    assert.equal((await client.get('/api/auth/list-sessions')).status, 200)
  }

  elsewhere.exec('commit')
  elsewhere.prepare('update sessions set "updatedAt" = ?').run(Date.now() - 2 * DAY_MILLISECONDS)
  assert.equal(await name(), `Ada ${acknowledged}`, 'a session whose extension fails stays live')

  elsewhere.exec('pragma wal_checkpoint(truncate)')
  const recoversUntil = performance.now() + RECOVERY_MILLISECONDS
  while ((await rename('Ada Saved')).status !== 200 || (await client.get('/readyz')).status !== 200) {
    assert.ok(performance.now() < recoversUntil, 'the service does not recover')
    await pause(50)
  }
  assert.equal(await name(), 'Ada Saved')
  assert.equal((await signIn()).status, 200)
  const { body } = await client.get('/api/auth/get-session')
  assert.ok(Date.parse(body.session.updatedAt) > Date.now() - DAY_MILLISECONDS, 'the session is extended')
})
