import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, readdir } from 'node:fs/promises'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { postgresForTests, startPostgres } from './postgres.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

async function ask(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query(statement)
  await client.end()
  return rows
}

test('createDatabase creates an empty PostgreSQL 18 database for each caller', async () => {
  const postgres = await postgresForTests()
  const [first, second] = await Promise.all([postgres.createDatabase(), postgres.createDatabase()])
  after(() => Promise.all([first.drop(), second.drop()]))

  await ask(first.url, 'create table things (id int)')

  assert.deepEqual(await ask(second.url, `select to_regclass('things') as found`), [{ found: null }])
  assert.match(JSON.stringify(await ask(first.url, 'show server_version')), /"18\./)
})

test('drop deletes a database with an open connection', async () => {
  const { createDatabase } = await postgresForTests()
  const database = await createDatabase()
  const connection = new pg.Client(database.url)
  connection.on('error', () => {})
  await connection.connect()

  await database.drop()

  await assert.rejects(ask(database.url, 'select 1'), { code: '3D000' })
})

test('A durable server keeps committed rows after kill', async () => {
  const postgres = await startPostgres({ durable: true })
  after(() => postgres.stop())
  const { url } = await postgres.createDatabase()
  await ask(url, `create table things as select 7 as id`)

  await postgres.kill()
  await assert.rejects(ask(url, 'select 1'), { code: 'ECONNREFUSED' })
  await postgres.restart()

  assert.deepEqual(await ask(url, 'select id from things'), [{ id: 7 }])
})

test('A server ends and its data is deleted when its parent process is killed', async (t) => {
  const folder = createTemporaryFolder(t)
  await chmod(folder, 0o755)
  const script = `
    import { startPostgres } from ${JSON.stringify(import.meta.resolve('./postgres.ts'))}
    const { url } = await startPostgres()
    console.log(url('postgres'))
    process.kill(process.pid, 'SIGKILL')
  `
  const env = { ...process.env, TMPDIR: folder }
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { env })
  const { stdout } = await run.catch((error: { stdout: string }) => error)

  while ((await readdir(folder)).length > 0) await pause(20)

  await assert.rejects(ask(stdout.trim(), 'select 1'), { code: 'ECONNREFUSED' })
})
