import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { startBetterAuth } from '../../test/support/better-auth.ts'
import { signUpAtSource } from '../../test/support/better-auth-scene.ts'
import { newSecret, runAccounts } from '../../test/support/process.ts'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { createTestDatabase } from '../../test/support/test-database.ts'
import { createReport } from '../features/import/report.ts'
import { readConfig } from '../platform/config/config.ts'
import { migrate } from '../platform/database/migrate.ts'
import { openDatabase } from '../platform/database/open.ts'
import { withReportFile } from './report-file.ts'

const BASE_URL = 'http://localhost:3000'
/** Less than the report. PostgreSQL writes its files in other processes, which have no limit. */
const FILE_BYTES = 512
const ignoreSummary = () => {}

async function openScene(t: TestContext) {
  const source = await startBetterAuth({ engine: 'postgres', baseUrl: BASE_URL })
  t.after(() => source.stop())
  const testDatabase = await createTestDatabase('postgres')
  const environment = { DATABASE_URL: testDatabase.url, SECRET: newSecret(), BASE_URL }
  const { database, close } = openDatabase(readConfig(environment).database, () => {})
  const folder = await mkdtemp(join(tmpdir(), 'accounts-report-'))
  t.after(async () => {
    await close()
    await testDatabase.drop()
    await rm(folder, { recursive: true })
  })
  const start = (words: string[], limit: { fileBytesMaximum?: number } = {}) =>
    runAccounts(['import', '--from', source.url, ...words], environment, limit)
  const run = async (words: string[], fileBytesMaximum?: number) => {
    const running = start(words, fileBytesMaximum === undefined ? {} : { fileBytesMaximum })
    return { code: await running.ended, output: running.output() }
  }
  return { source, database, start, run, report: join(folder, 'report.tsv') }
}

test("An import whose report can't be written prints its summary, says that it is complete, and fails", async (t) => {
  const { source, database, run, report } = await openScene(t)
  const ids = []
  for (let count = 0; count < 10; count += 1) ids.push((await signUpAtSource(source, `www.example.com ${count}`)).id)

  const tried = await run(['--dry-run', '--report', report], FILE_BYTES)
  assert.equal(tried.code, 1)
  assert.match(tried.output, /users: 10\n.*The dry run is complete, but the report can't be written: /s)

  const { code, output } = await run(['--report', report], FILE_BYTES)
  assert.equal(code, 1)
  assert.match(output, /Imported:\n {2}users: 10\n.*The import is complete, but the report can't be written: EFBIG/s)
  const users = await database.selectFrom('users').select('id').execute()
  assert.deepEqual(users.map(({ id }) => id).sort(), ids.sort())
  assert.deepEqual(readdirSync(dirname(report)), [], 'half a report would look like a whole one')
})

test('An import whose output has no reader writes its report before it ends', async (t) => {
  const { source, start, report } = await openScene(t)
  const { id } = await signUpAtSource(source, 'www.example.com')
  const running = start(['--report', report])
  running.child.stdout?.destroy()
  assert.equal(await running.ended, 1)
  assert.match(readFileSync(report, 'utf8'), new RegExp(`^user\t${id}\tthe name is refused`, 'm'))
  assert.deepEqual(readdirSync(dirname(report)), ['report.tsv'])
})

test('An import with a row that is created concurrently ends, and says that it can be repeated', async (t) => {
  const { source, database, run, report } = await openScene(t)
  await signUpAtSource(source)
  await migrate(database)
  await sql`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'duplicate key' using errcode = 'unique_violation'; end $$`.execute(database)
  await sql`create trigger refuse before insert on users execute function refuse()`.execute(database)
  const { code, output } = await run(['--report', report])
  assert.equal(code, 1)
  assert.match(
    output,
    /A row with the same id, email address, slug, passkey or API key was created concurrently\. Import again\./,
  )
  assert.deepEqual(readdirSync(dirname(report)), [])
})

test('A report gets its name after the import, so that the command of a stopped one can be repeated', async (t) => {
  const folder = createTemporaryFolder(t)
  const path = join(folder, 'report.tsv')
  await withReportFile(
    path,
    'import',
    async () => {
      const [temporary = '', ...others] = readdirSync(folder)
      assert.match(temporary, /^report\.tsv\.[0-9a-f]{12}\.partial$/)
      assert.deepEqual(others, [])
      return createReport()
    },
    ignoreSummary,
  )
  assert.deepEqual(readdirSync(folder), ['report.tsv'])
  assert.match(readFileSync(path, 'utf8'), /^kind\t/)
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('A report replaces no file, also none that is created during the import', async (t) => {
  const path = join(createTemporaryFolder(t), 'report.tsv')
  const run = async () => {
    writeFileSync(path, 'of another program')
    return createReport()
  }
  await assert.rejects(
    withReportFile(path, 'import', run, ignoreSummary),
    /^CommandError: The import is complete, but .*EEXIST/,
  )
  await assert.rejects(
    withReportFile(path, 'import', assert.fail, ignoreSummary),
    /exists already\. Choose another name/,
  )
  assert.equal(readFileSync(path, 'utf8'), 'of another program')
  assert.deepEqual(readdirSync(dirname(path)), ['report.tsv'])
})
