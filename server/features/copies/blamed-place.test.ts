import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { createInstallation } from '../../../test/support/copies.ts'
import { runAccounts } from '../../../test/support/process.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { backupCommand } from '../../commands/backup.ts'
import { migrateCommand } from '../../commands/migrate.ts'
import { moveCommand } from '../../commands/move.ts'
import { restoreCommand } from '../../commands/restore.ts'
import { seedUsers } from '../../core/users/seed-users.ts'
import { migrate } from '../../platform/database/migrate.ts'
import { MIGRATIONS } from '../../platform/database/migration.ts'

const USERS = 5_000
const FILE_BYTES = 1024 * 1024

test('A move to a full disk names --to, and not DATABASE_URL', async (t) => {
  const { installation, source, environment } = await prepare(t)
  const target = await installation.createDatabase('sqlite')
  const move = runAccounts(['move', '--to', target], environment, { fileBytesMaximum: FILE_BYTES })
  assert.equal(await move.ended, 1, move.output())
  assert.match(move.output(), /The target \(--to\) is not available: .*(full|I\/O)/)
  assert.doesNotMatch(move.output(), /DATABASE_URL/)
  assert.match(await installation.run(source, moveCommand, '--to', target), /every row is verified/)
})

test('A move whose PostgreSQL target ends the connections names --to, and not DATABASE_URL', async (t) => {
  const { installation, source, environment } = await prepare(t)
  const target = await installation.createDatabase('postgres')
  const client = new pg.Client(target)
  await client.connect()
  const move = runAccounts(['move', '--to', target], environment)
  while (move.child.exitCode === null) {
    if (await hasUsers(client))
      await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like 'accounts command %'`)
    await pause(1)
  }
  await client.end()
  assert.equal(await move.ended, 1, move.output())
  assert.match(move.output(), /--to/)
  assert.doesNotMatch(move.output(), /DATABASE_URL/)
  assert.match(await installation.run(source, moveCommand, '--to', target), /every row is verified/)
})

test("A restore of an earlier version whose temporary copy can't be written names the folder and TMPDIR", async (t) => {
  const { installation, source, environment } = await prepare(t, '0021')
  const file = source.slice('sqlite:'.length)
  const target = await installation.createDatabase('sqlite')
  const folder = createTemporaryFolder(t)
  const missing = join(folder, 'missing')
  for (const [TMPDIR, options] of [
    [missing, {}],
    [folder, { fileBytesMaximum: FILE_BYTES }],
  ] as const) {
    const restore = runAccounts(['restore', file], { ...environment, DATABASE_URL: target, TMPDIR }, options)
    assert.equal(await restore.ended, 1, restore.output())
    assert.match(restore.output(), new RegExp(`can't be written to ${TMPDIR}: .*set TMPDIR to another folder`))
  }
})

for (const [from, to] of [
  ['sqlite', 'sqlite'],
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const)
  test(`A move from ${from} to ${to} names the rows with an integer that is no exact number`, async (t) => {
    const installation = await createInstallation(t)
    const [source, target] = [await installation.createDatabase(from), await installation.createDatabase(to)]
    await installation.run(source, migrateCommand)
    const { context, close } = installation.open(source)
    const insert = sql`insert into "emailLimits" (key, "usedAt") values ('ada@example.com', 9007199254740993)`
    await insert.execute(context.database)
    await close()
    const reason = /an integer of 2\^53 or more, which can't be copied \(emailLimits, from the first row on\)/
    await assert.rejects(installation.run(source, moveCommand, '--to', target), reason)
    if (from === 'postgres') return
    const restoring = installation.run(
      await installation.createDatabase(to),
      restoreCommand,
      source.slice('sqlite:'.length),
    )
    await assert.rejects(restoring, reason)
  })

for (const to of ['sqlite', 'postgres'] as const)
  test(`A backup, a move to ${to} and a restore to ${to} name the row with binary data`, async (t) => {
    const { installation, source } = await prepare(t)
    const { context, close } = installation.open(source)
    await sql`update users set name = x'416461' where id in (select id from users limit 1)`.execute(context.database)
    await close()
    const target = () => installation.createDatabase(to)
    const file = join(createTemporaryFolder(t), 'refused.db')
    const reason = /The source has binary data in a column for text or numbers, which can't be copied \(users, /
    await assert.rejects(installation.run(source, backupCommand, '--to', file), reason)
    await assert.rejects(installation.run(await target(), restoreCommand, source.slice('sqlite:'.length)), reason)
    await assert.rejects(installation.run(source, moveCommand, '--to', await target()), reason)
  })

for (const engine of ['sqlite', 'postgres'] as const)
  test(`A backup from ${engine} refuses an integer that is no exact number, which a restore would refuse`, async (t) => {
    const folder = createTemporaryFolder(t)
    const installation = await createInstallation(t)
    const source = await installation.createDatabase(engine)
    await installation.run(source, migrateCommand)
    const { context, close } = installation.open(source)
    t.after(close)
    const insert = async (key: string, usedAt: string) => {
      await sql`insert into "emailLimits" (key, "usedAt") values (${key}, ${sql.raw(usedAt)})`.execute(context.database)
    }
    const back = (name: string) => installation.run(source, backupCommand, '--to', join(folder, name))
    await insert('ada@example.com', '9007199254740991')
    await insert('ben@example.com', '-9007199254740991')
    await back('exact.db')
    await insert('eve@example.com', '-9007199254740992')
    const place = engine === 'sqlite' ? 'emailLimits, row eve@…' : 'emailLimits, from the first row on'
    await assert.rejects(back('refused.db'), {
      name: 'CopyError',
      message: `The source has an integer of 2^53 or more, which can't be copied (${place}). Correct the row, and run the command again.`,
    })
    assert.deepEqual(readdirSync(folder), ['exact.db'])
  })

test('A backup from sqlite refuses a number that is no integer because it is too large', async (t) => {
  const installation = await createInstallation(t)
  const source = await installation.createDatabase('sqlite')
  await installation.run(source, migrateCommand)
  const { context, close } = installation.open(source)
  t.after(close)
  const file = join(createTemporaryFolder(t), 'refused.db')
  for (const number of ['9e999', '-1e300']) {
    await sql`insert into "emailLimits" (key, "usedAt") values (${number}, ${sql.raw(number)})`.execute(
      context.database,
    )
    const reason = /an integer of 2\^53 or more, which can't be copied \(emailLimits, row /
    await assert.rejects(installation.run(source, backupCommand, '--to', file), reason)
    await context.database.deleteFrom('emailLimits').execute()
  }
  assert.match(await installation.run(source, backupCommand, '--to', file), /complete and verified/)
})

async function hasUsers(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(`select to_regclass('"copyState"') is not null as "isMarked"`)
  return rows[0].isMarked && (await client.query('select from users limit 1')).rowCount === 1
}

/** @param before applies only the migrations whose names are smaller */
async function prepare(t: TestContext, before = '9') {
  const installation = await createInstallation(t)
  const source = await installation.createDatabase('sqlite')
  const { context, close } = installation.open(source)
  await migrate(context.database, Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < before)))
  await seedUsers(context, USERS, () => {})
  await close()
  return { installation, source, environment: { ...installation.environment, DATABASE_URL: source } }
}
