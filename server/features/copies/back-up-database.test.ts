import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import fs, { existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { runInProcess } from '../../../test/support/command.ts'
import { createInstallation } from '../../../test/support/copies.ts'
import { assertAuditLogWhole } from '../../../test/support/populated.ts'
import { newSecret, runAccounts } from '../../../test/support/process.ts'
import { randomLetters } from '../../../test/support/random-letters.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { administratorWithOrganization, newEmail, PASSWORD } from '../../../test/support/users.ts'
import { backupCommand } from '../../commands/backup.ts'
import { migrateCommand } from '../../commands/migrate.ts'
import { restoreCommand } from '../../commands/restore.ts'
import { insertSecretGeneration } from '../../core/secret-generations/store.ts'
import { seedUsers } from '../../core/users/seed-users.ts'
import { insertAppliedMigration } from '../../platform/database/applied-migrations.ts'
import { openExclusively } from '../../platform/database/copy/sqlite-source.ts'
import { migrate } from '../../platform/database/migrate.ts'
import { MIGRATIONS } from '../../platform/database/migration.ts'
import { backUpDatabase } from './back-up-database.ts'

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`backup from ${engine}`, () => {
    test('A backup during changes has each change whole, with its audit event, and no service starts on it', async (t) => {
      const { installation, source, file } = await prepare(t)
      const service = await installation.start(source)
      const { client } = await administratorWithOrganization(service)
      const { ended, output } = runAccounts(['backup', '--to', file], {
        ...installation.environment,
        DATABASE_URL: source,
      })
      let isEnded = false
      ended.then(() => {
        isEnded = true
      })
      let created = 0
      while (!isEnded) {
        const user = { email: newEmail(), name: 'Paula Parker', password: PASSWORD, role: 'user' }
        const { status, body } = await client.post('/api/auth/admin/create-user', user)
        assert.equal(status, 200, JSON.stringify(body))
        created += 1
      }
      assert.equal(await ended, 0, output())
      await service.stop()
      assert.deepEqual(readdirSync(join(file, '..')), ['backup.db'])
      const url = `sqlite:${file}`
      await assert.rejects(installation.run(url, migrateCommand), /DATABASE_URL names a backup/)
      const copy = installation.open(url)
      t.after(() => copy.close())
      const { database } = copy.context
      const ids = await database.selectFrom('users').select('id').orderBy('id').execute()
      const events = await database
        .selectFrom('auditEvents')
        .select('subjectId')
        .where('action', '=', 'user.created')
        .orderBy('subjectId')
        .execute()
      assert.deepEqual(
        ids.map(({ id }) => id),
        events.map(({ subjectId }) => subjectId),
      )
      assert.ok(ids.length <= created + 1)
      await assertAuditLogWhole(copy)
    })

    test("A backup that can't be written names the file, and leaves nothing behind", async (t) => {
      const { installation, source, file } = await prepare(t)
      await installation.run(source, migrateCommand)
      await writeFile(file, 'precious')
      await assert.rejects(installation.run(source, backupCommand, '--to', file), /exists already/)
      const link = join(file, '..', 'link.db')
      symlinkSync(`${file}-on-another-disk`, link)
      await assert.rejects(installation.run(source, backupCommand, '--to', link), /link\.db exists already/)
      rmSync(link)
      const missing = installation.run(source, backupCommand, '--to', join(file, '..', 'missing', 'backup.db'))
      await assert.rejects(missing, /The backup can't be written to .*missing.*ENOENT/)
      const { context, close } = installation.open(source)
      await seedUsers(context, 2_000, () => {})
      await close()
      const environment = { ...installation.environment, DATABASE_URL: source }
      const full = join(file, '..', 'full.db')
      const { ended, output } = runAccounts(['backup', '--to', full], environment, { fileBytesMaximum: 512 * 1024 })
      assert.equal(await ended, 1, output())
      assert.match(output(), /The backup can't be written to .*full\.db: .*Make room on the disk/)
      assert.deepEqual(readdirSync(join(file, '..')), ['backup.db'])
    })
  })

  async function prepare(t: TestContext) {
    const folder = createTemporaryFolder(t)
    const installation = await createInstallation(t)
    return { installation, source: await installation.createDatabase(engine), file: join(folder, 'backup.db') }
  }
}

test('Of two concurrent backups to one file, one succeeds and the other one replaces nothing', async (t) => {
  const folder = createTemporaryFolder(t)
  const installation = await createInstallation(t)
  const [one, other] = [await installation.createDatabase('sqlite'), await installation.createDatabase('sqlite')]
  const contexts = await Promise.all(
    [one, other].map(async (url) => {
      await installation.run(url, migrateCommand)
      const { context, close } = installation.open(url)
      t.after(close)
      return context
    }),
  )
  const file = join(folder, 'backup.db')
  const results = await Promise.allSettled(contexts.map((context) => backUpDatabase(context, file, () => {})))
  const refused = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult
  assert.match(refused?.reason.message, /exists already/)
  assert.deepEqual(readdirSync(folder), ['backup.db'])
  const winner = results[0]?.status === 'fulfilled' ? one : other
  const backup = installation.open(`sqlite:${file}`)
  t.after(() => backup.close())
  const { source } = await backup.context.database.selectFrom('copyState').select('source').executeTakeFirstOrThrow()
  assert.equal(source, winner)
})

test('A backup has its name only when it is complete, and a backup whose last step fails leaves no file', async (t) => {
  const folder = createTemporaryFolder(t)
  const installation = await createInstallation(t)
  const source = await installation.createDatabase('sqlite')
  await installation.run(source, migrateCommand)
  const failing = (name: 'linkSync' | 'renameSync', code: string) =>
    t.mock.method(fs, name, () => {
      throw Object.assign(new Error(`${code}: ${name}`), { code, syscall: 'rename' })
    }).mock
  // A kill before the rename would leave an empty file, so it must not be tried.
  const rename = failing('renameSync', 'EIO')
  syncBuiltinESMExports()
  await installation.run(source, backupCommand, '--to', join(folder, 'linked.db'))
  // A file system without hard links.
  const link = failing('linkSync', 'EPERM')
  syncBuiltinESMExports()
  const back = () => installation.run(source, backupCommand, '--to', join(folder, 'renamed.db'))
  await assert.rejects(back, /The backup can't be written to .*EIO/)
  assert.deepEqual(readdirSync(folder), ['linked.db'])
  rename.restore()
  syncBuiltinESMExports()
  await back()
  await assert.rejects(back, /exists already/)
  link.restore()
  syncBuiltinESMExports()
  assert.deepEqual(readdirSync(folder), ['linked.db', 'renamed.db'])
})

test('A backup is on the disk before it has its name, and its name before the command ends', async (t) => {
  const folder = createTemporaryFolder(t)
  const installation = await createInstallation(t)
  const source = await installation.createDatabase('sqlite')
  await installation.run(source, migrateCommand)
  const hadName: boolean[] = []
  const { fsyncSync } = fs
  const { mock } = t.mock.method(fs, 'fsyncSync', (file: number) => {
    hadName.push(readdirSync(folder).includes('backup.db'))
    fsyncSync(file)
  })
  syncBuiltinESMExports()
  await installation.run(source, backupCommand, '--to', join(folder, 'backup.db'))
  mock.restore()
  syncBuiltinESMExports()
  assert.deepEqual(hadName, [false, true])
})

test('A backup refuses another SECRET, unless it is told to, and warns without SECRET', async (t) => {
  const folder = createTemporaryFolder(t)
  const installation = await createInstallation(t)
  const source = await installation.createDatabase('sqlite')
  await installation.run(source, migrateCommand)
  const back = async (name: string, environment: Record<string, string>, ...words: string[]) => {
    const file = join(folder, name)
    const settings = { DATABASE_URL: source, ...environment }
    const { code, output, errors } = await runInProcess(['backup', '--to', file, ...words], settings)
    return { code, output: `${output}${errors}` }
  }
  const refused = await back('refused.db', { SECRET: newSecret() })
  assert.deepEqual([refused.code, readdirSync(folder)], [1, []])
  assert.match(refused.output, /SECRET is not the one that this database was made with/)
  const forced = await back('forced.db', { SECRET: newSecret() }, '--without-secret')
  assert.deepEqual([forced.code, /WARNING: SECRET was not compared/.test(forced.output)], [0, true])
  const missing = await back('missing.db', {})
  assert.deepEqual([missing.code, /WARNING: SECRET was not compared/.test(missing.output)], [0, true])
  const right = await back('right.db', { SECRET: installation.environment.SECRET ?? '' })
  assert.equal(right.code, 0)
  assert.match(right.output, /or the file .+\/secret\): keep a copy of that in another place/)
  assert.doesNotMatch(right.output, /WARNING/)
})

test('A backup refuses a later version, with which this one does not work', async (t) => {
  const folder = createTemporaryFolder(t)
  const installation = await createInstallation(t)
  const source = await installation.createDatabase('sqlite')
  await installation.run(source, migrateCommand)
  const { context, close } = installation.open(source)
  await insertAppliedMigration(context.database, '9999-later', { kind: 'contract' })
  await close()
  await assert.rejects(
    installation.run(source, backupCommand, '--to', join(folder, 'backup.db')),
    /The database is newer than this version of Accounts: it has 9999-later/,
  )
  assert.deepEqual(readdirSync(folder), [])
})

test('A restore of a backup with a later migration names the version that migrated it', async (t) => {
  const folder = createTemporaryFolder(t)
  const installation = await createInstallation(t)
  const [source, target] = [await installation.createDatabase('sqlite'), await installation.createDatabase('sqlite')]
  await installation.run(source, migrateCommand)
  const { context, close } = installation.open(source)
  await insertAppliedMigration(context.database, '9999-later', { kind: 'expand' })
  await close()
  const file = join(folder, 'backup.db')
  await installation.run(source, backupCommand, '--to', file)
  await assert.rejects(
    installation.run(target, restoreCommand, file),
    /does not know: 9999-later\. Use the version that migrated it, or a later one/,
  )
  await assert.rejects(installation.run(target, restoreCommand, folder), /is a folder\. Name the file of a backup/)
})

test('A backup names a source that is no readable database', async (t) => {
  const folder = createTemporaryFolder(t)
  const installation = await createInstallation(t)
  const file = join(folder, 'backup.db')
  const damaged = join(folder, 'damaged.db')
  await writeFile(damaged, 'This is a text and no database.'.repeat(100))
  await assert.rejects(
    installation.run(`sqlite:${damaged}`, backupCommand, '--to', file),
    new RegExp(`^CopyError: The database ${damaged} can't be read: .*Check DATABASE_URL.*restore an earlier backup`),
  )
  assert.deepEqual(readdirSync(folder), ['damaged.db'])
})

test("A backup names the rights and the disk when a source that is not damaged can't be read", async (t) => {
  const folder = createTemporaryFolder(t)
  const installation = await createInstallation(t)
  const path = join(folder, 'accounts.db')
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode = wal; create table users (id text)')
  database.close()
  // SQLite must open this file to read the database, and can't, also for a user who may read everything.
  await mkdir(`${path}-wal`)
  await assert.rejects(
    installation.run(`sqlite:${path}`, backupCommand, '--to', join(folder, 'backup.db')),
    new RegExp(`^CopyError: The database ${path} can't be read: .*whether your user may read and write the file`),
  )
})

test('A backup and doctor say what to do while another process locks the database', async (t) => {
  const folder = createTemporaryFolder(t)
  const installation = await createInstallation(t)
  const source = await installation.createDatabase('sqlite')
  await installation.run(source, migrateCommand)
  const other = openExclusively(source.slice('sqlite:'.length))
  t.after(() => other.close())
  const environment = { ...installation.environment, DATABASE_URL: source }
  const backup = runAccounts(['backup', '--to', join(folder, 'backup.db')], environment)
  const doctor = runAccounts(['doctor'], environment)
  assert.deepEqual([await backup.ended, await doctor.ended], [1, 1])
  assert.match(backup.output(), /database is locked\. Another process locks it, such as a move: wait for it/)
  assert.match(doctor.output(), /^FAIL {2}damage: database is locked\. Another process locks the file of DATABASE_URL/m)
})

test('A backup from a PostgreSQL that cuts the connection reports the connection, and not the file', async (t) => {
  const server = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
  server.listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const installation = await createInstallation(t)
  const url = `postgres://127.0.0.1:${(server.address() as AddressInfo).port}/accounts`
  const file = join(tmpdir(), `${randomLetters()}.db`)
  await assert.rejects(installation.run(url, backupCommand, '--to', file), /^DatabaseUnavailable: .*ECONNRESET/)
})

test('A restore refuses a missing file, another file, another SECRET and a database with data, and changes nothing', async (t) => {
  const folder = createTemporaryFolder(t)
  const installation = await createInstallation(t)
  const [source, target] = [await installation.createDatabase('sqlite'), await installation.createDatabase('sqlite')]
  await installation.run(source, migrateCommand)
  const file = join(folder, 'backup.db')
  await installation.run(source, backupCommand, '--to', file)
  const restore = (name: string) => installation.run(target, restoreCommand, join(folder, name))
  await assert.rejects(restore('missing.db'), /There is no file/)
  await writeFile(join(folder, 'text.db'), 'This is a text and no database.'.repeat(100))
  await assert.rejects(restore('text.db'), /can't be read as a SQLite database/)
  await writeFile(join(folder, 'empty.db'), '')
  await assert.rejects(restore('empty.db'), /is no backup of Accounts/)
  const whole = await readFile(file)
  await writeFile(join(folder, 'truncated.db'), whole.subarray(0, whole.length / 2))
  await assert.rejects(
    restore('truncated.db'),
    /can't be read as a SQLite database: .*malformed\. Copy the file .* again/,
  )
  const pageBytes = whole.readUInt16BE(16)
  const firstByte = getRootPage(file, 'secretGenerations') * pageBytes
  await writeFile(join(folder, 'damaged.db'), whole.fill('damage', firstByte, firstByte + pageBytes))
  await assert.rejects(restore('damaged.db'), /damaged\.db is damaged: .*Restore another backup/)
  const other = await createInstallation(t)
  await assert.rejects(other.run(target, restoreCommand, file), /SECRET is not the one/)
  assert.ok(!existsSync(target.slice('sqlite:'.length)))
  await assert.rejects(installation.run(source, restoreCommand, file), /The target is not empty/)
})

/** @returns the number of the first page of a table, counted from 0 */
function getRootPage(file: string, table: string): number {
  const database = new DatabaseSync(file, { readOnly: true })
  const found = database.prepare('select rootpage from sqlite_schema where name = ?').get(table)
  database.close()
  return Number(found?.rootpage) - 1
}

test('A restore migrates a copy of a database of an earlier version, and leaves the file as it is', async (t) => {
  const installation = await createInstallation(t)
  const [source, target] = [await installation.createDatabase('sqlite'), await installation.createDatabase('sqlite')]
  const { context, close } = installation.open(source)
  const { database, keyring } = context
  const older = Object.entries(MIGRATIONS).filter(([name]) => name < '0021')
  await migrate(database, Object.fromEntries(older))
  await insertSecretGeneration(database, { generation: 1, secretId: keyring.secretId, retiredKeys: null, createdAt: 1 })
  await seedUsers(context, 3, () => {})
  await close()
  const file = source.slice('sqlite:'.length)
  const before = hash('sha256', await readFile(file))
  assert.match(await installation.run(target, restoreCommand, file), /every row is verified/)
  assert.equal(hash('sha256', await readFile(file)), before)
  const restored = installation.open(target)
  t.after(() => restored.close())
  const users = await restored.context.database.selectFrom('users').select('id').execute()
  assert.equal(users.length, 3)
})
