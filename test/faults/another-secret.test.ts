import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { openMigrated } from '../../server/commands/prepare.ts'
import { createSetupLink } from '../../server/features/account/setup/set-up.ts'
import { createSigningKeys } from '../../server/features/tokens/signing-keys.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { createKeyring } from '../../server/platform/crypto/keyring.ts'
import { openDatabase } from '../../server/platform/database/open.ts'
import { runInProcess } from '../support/command.ts'
import { createMigratedDatabase } from '../support/migrated-database.ts'
import { newSecret, runAccounts, startProcess } from '../support/process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { createTestDatabase, type Engine } from '../support/test-database.ts'

const COMMANDS = [
  ['migrate'],
  ['admin', 'create', '--email', 'ada@example.com', '--name', 'Ada Admin'],
  ['keys', 'list'],
  ['keys', 'rotate'],
  ['audit', 'verify'],
  ['users', 'seed', '--count', '1'],
]

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`Another SECRET (${engine})`, () => {
    test('Every command refuses a database of another SECRET with one sentence and changes nothing', async (t) => {
      const { databaseUrl, SECRET } = await newDatabase(t, engine)
      const before = await contentOf(databaseUrl)
      for (const command of COMMANDS) {
        const { code, errors } = await runInProcess(command, { DATABASE_URL: databaseUrl, SECRET: newSecret() })
        assert.equal(code, 1, command.join(' '))
        assert.match(errors, /^SECRET is not the one that this database was made with: set it/)
        assert.doesNotMatch(errors, /at .*\.ts:/)
      }
      const start = runAccounts(['start'], { DATABASE_URL: databaseUrl, SECRET: newSecret(), PORT: '0' })
      assert.equal(await start.ended, 1)
      assert.match(start.output(), /^SECRET is not the one that this database was made with: set it/)
      assert.doesNotMatch(start.output(), /at .*\.ts:/)
      for (const wrong of ['', 'short'])
        assert.equal(await runAccounts(['start'], { DATABASE_URL: databaseUrl, SECRET: wrong }).ended, 1)
      assert.deepEqual(await contentOf(databaseUrl), before)
      assert.equal((await runInProcess(['keys', 'list'], { DATABASE_URL: databaseUrl, SECRET })).code, 0)
    })

    test('A database of an older version, without a secret generation, refuses another SECRET', async (t) => {
      const { databaseUrl, SECRET } = await newDatabase(t, engine)
      await ask(databaseUrl, (database) => database.deleteFrom('secretGenerations').execute())
      const { code, errors } = await runInProcess(['migrate'], { DATABASE_URL: databaseUrl, SECRET: newSecret() })
      assert.equal(code, 1)
      assert.match(errors, /SECRET is not the one/)
      assert.equal((await runInProcess(['migrate'], { DATABASE_URL: databaseUrl, SECRET })).code, 0)
      assert.equal((await contentOf(databaseUrl)).generations.length, 1)
    })

    test('Concurrent first starts with different SECRETs succeed for one SECRET only', async (t) => {
      const testDatabase = await createMigratedDatabase(engine)
      t.after(() => testDatabase.drop())
      const runs = Array.from({ length: 4 }, () =>
        runAccounts(['migrate'], { DATABASE_URL: testDatabase.url, SECRET: newSecret() }),
      )
      const codes = await Promise.all(runs.map(({ ended }) => ended))
      assert.deepEqual(codes.sort(), [0, 1, 1, 1])
    })
  })
}

test('A new database refuses a SECRET of few different characters, and one that uses it already goes on', async (t) => {
  const { databaseUrl } = await newDatabase(t, 'sqlite')
  const used = 'changeme'.repeat(4)
  const { secretId } = createKeyring(used, randomBytes)
  await ask(databaseUrl, (database) => database.updateTable('secretGenerations').set({ secretId }).execute())
  await ask(databaseUrl, (database) => database.deleteFrom('signingKeys').execute())
  const run = (...words: string[]) => runInProcess(words, { DATABASE_URL: databaseUrl, SECRET: used })
  assert.equal((await run('keys', 'list')).code, 0)
  assert.equal((await run('keys', 'rotate')).code, 0)
  // An older version has stored no generation.
  await ask(databaseUrl, (database) => database.deleteFrom('secretGenerations').execute())
  assert.equal((await run('migrate')).code, 0)
  assert.match((await run('doctor')).output, /^FAIL {2}secret: SECRET has so few different characters .* replace it/m)
  const testDatabase = await createTestDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const { code, errors } = await runInProcess(['migrate'], { DATABASE_URL: testDatabase.url, SECRET: used })
  assert.equal(code, 1)
  assert.match(errors, /^SECRET has so few different characters that it can be guessed\. Make one with `openssl/m)
})

test('A copy of a SQLite database without its secret does not start, and gets no new one', async (t) => {
  const folder = createTemporaryFolder(t)
  const testDatabase = await createTestDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const service = await startProcess(testDatabase.url)
  service.child.kill('SIGTERM')
  assert.equal(await service.ended, 0)
  copyFileSync(testDatabase.url.slice('sqlite:'.length), join(folder, 'accounts.db'))
  const DATABASE_URL = `sqlite:${folder}/accounts.db`
  const missing = runAccounts(['start'], { DATABASE_URL, PORT: '0' })
  assert.equal(await missing.ended, 1)
  assert.match(missing.output(), /secret is missing, and .* was made with it\. Put your copy of the file back/)
  assert.deepEqual(readdirSync(folder), ['accounts.db'])
  for (const content of ['', '\n', 'x'.repeat(31)]) {
    writeFileSync(join(folder, 'secret'), content)
    const refused = runAccounts(['start'], { DATABASE_URL, PORT: '0' })
    assert.equal(await refused.ended, 1)
    assert.match(refused.output(), /secret is (empty|shorter than 32 characters): put your copy of it back/)
  }
})

/** A database as a start leaves it. */
async function newDatabase(t: TestContext, engine: Engine): Promise<{ databaseUrl: string; SECRET: string }> {
  const testDatabase = await createMigratedDatabase(engine)
  t.after(() => testDatabase.drop())
  const SECRET = newSecret()
  const config = readConfig({ DATABASE_URL: testDatabase.url, SECRET })
  const runtime = { now: Date.now, randomBytes, log: pino({ level: 'silent' }) }
  const { context, close } = await openMigrated(config, runtime)
  await createSigningKeys(context).ensure()
  await createSetupLink(context)
  await close()
  return { databaseUrl: testDatabase.url, SECRET }
}

async function contentOf(databaseUrl: string) {
  return ask(databaseUrl, async (database) => ({
    generations: await database.selectFrom('secretGenerations').selectAll().execute(),
    keys: await database.selectFrom('signingKeys').selectAll().execute(),
    users: await database.selectFrom('users').selectAll().execute(),
    links: await database.selectFrom('singleUseTokens').selectAll().execute(),
    events: await database.selectFrom('auditEvents').selectAll().orderBy('id').execute(),
  }))
}

async function ask<T>(
  databaseUrl: string,
  question: (database: ReturnType<typeof openDatabase>['database']) => Promise<T>,
): Promise<T> {
  const settings = readConfig({ DATABASE_URL: databaseUrl, SECRET: newSecret() }).database
  const { database, close } = openDatabase(settings, () => {})
  try {
    return await question(database)
  } finally {
    await close()
  }
}
