import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { createClient } from '../../test/support/client.ts'
import { runInProcess } from '../../test/support/command.ts'
import { newSecret, startProcess } from '../../test/support/process.ts'
import { listStoredRows } from '../../test/support/stored-rows.ts'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { createTestDatabase } from '../../test/support/test-database.ts'
import { openDatabase } from '../platform/database/open.ts'

type Invitation = { email: string; status: string; expiresAt: string; inviterMayInvite: boolean }

async function run(words: string[], settings: Record<string, string>) {
  const { code, output, errors } = await runInProcess(words, settings)
  return { code, output: `${output}${errors}` }
}

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`seed creates users who sign in with the printed password, and an invitation in every state (${engine})`, async (t) => {
    const testDatabase = await createTestDatabase(engine)
    t.after(() => testDatabase.drop())
    const environment = { DATABASE_URL: testDatabase.url, SECRET: newSecret() }
    const { code, output } = await run(['seed'], environment)
    assert.equal(code, 0, output)
    const emails = [...output.matchAll(/^ {2}(\S+@example\.com) /gm)].map(([, email = '']) => email)
    assert.ok(emails.length >= 10, output)
    const password = /password "(.*)"/.exec(output)?.[1] ?? ''

    const service = await startProcess(testDatabase.url, environment)
    t.after(() => service.child.kill('SIGKILL'))
    const clients = new Map(emails.map((email) => [email, createClient(service.baseUrl)]))
    const codes: Record<string, string> = {}
    for (const [email, client] of clients) {
      const { status, body } = await client.post('/api/auth/sign-in/email', { email, password })
      if (status !== 200) codes[email] = body.code
    }
    assert.deepEqual(codes, { 'ben@example.com': 'BANNED_USER' })

    const organization = { organizationSlug: 'example-works' }
    const list = `/api/auth/organization/list-invitations?${new URLSearchParams(organization)}`
    const { invitations } = (await clients.get('max@example.com')!.get(list)).body as { invitations: Invitation[] }
    const statusOf = (name: string) => invitations.find(({ email }) => email === `${name}@example.com`)?.status
    for (const [name, status] of Object.entries({ nora: 'pending', mia: 'accepted', rita: 'rejected' }))
      assert.equal(statusOf(name), status, name)
    assert.equal(statusOf('canceled'), 'canceled')
    const late = invitations.find(({ email }) => email === 'late@example.com')
    assert.ok(Date.parse(late?.expiresAt ?? '') < Date.now())
    const refused = invitations.find(({ email }) => email === 'refused@example.com')
    assert.deepEqual([refused?.status, refused?.inviterMayInvite], ['pending', false])

    const key = /API key of Example Works: (\S+)/.exec(output)?.[1]
    const { body } = await createClient(service.baseUrl).post('/api/auth/api-key/verify', { key })
    assert.equal(body.valid, true)
  })
}

test('seed creates the example users where each setting refuses as much as it can', async (t) => {
  const testDatabase = await createTestDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const { code, output } = await run(['seed'], {
    DATABASE_URL: testDatabase.url,
    ACCOUNT_GUESSES_PER_15_MINUTES: '1',
    NETWORK_CHANGES_PER_MINUTE: '1',
    NETWORK_EMAIL_REQUESTS_PER_5_MINUTES: '1',
    NETWORK_GUESSES_PER_5_MINUTES: '1',
    ORGANIZATIONS_PER_USER: '1',
    ORGANIZATION_CREATION: 'staff',
    ORGANIZATION_INVITATIONS_PER_DAY: '1',
    PASSWORD_MIN_LENGTH: '128',
    REQUIRE_TWO_FACTOR: 'all',
    SESSIONS_PER_USER: '1',
    TRUST_PROXY: '10',
    USER_CHANGES_PER_MINUTE: '1',
  })
  assert.equal(code, 0, output)
  assert.match(output, /API key of Example Works: \S+/)
})

test('seed refuses a database that has users, and changes nothing', async (t) => {
  const testDatabase = await createTestDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const environment = { DATABASE_URL: testDatabase.url }
  const readRows = async () => {
    const path = testDatabase.url.slice('sqlite:'.length)
    const { database, close } = openDatabase({ engine: 'sqlite', path }, () => {})
    return listStoredRows(database).finally(close)
  }
  assert.equal((await run(['seed'], environment)).code, 0)
  const before = await readRows()
  const again = await run(['seed'], environment)
  assert.equal(again.code, 1)
  assert.match(again.output, /The database has users already/)
  assert.deepEqual(await readRows(), before)
})

test('seed refuses where BASE_URL is not on localhost, and where SMTP_URL is set', async (t) => {
  const folder = createTemporaryFolder(t)
  for (const settings of [
    { BASE_URL: 'https://accounts.example.com', SMTP_URL: 'smtp://127.0.0.1:1' },
    { SMTP_URL: 'smtp://127.0.0.1:1' },
  ]) {
    const { code, output } = await run(['seed'], { DATABASE_URL: `sqlite:${folder}/accounts.db`, ...settings })
    assert.equal(code, 1)
    assert.match(output, /example users/)
  }
  assert.deepEqual(readdirSync(folder), [])
})
