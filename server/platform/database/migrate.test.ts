import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { onEachDatabase } from '../../../test/support/service.ts'
import { createTestDatabase } from '../../../test/support/test-database.ts'
import { readConfig } from '../config/config.ts'
import { listAppliedMigrations } from './applied-migrations.ts'
import { migrate, readMigrationState } from './migrate.ts'
import { MIGRATIONS, type Migrations } from './migration.ts'
import { openDatabase } from './open.ts'
import type { Tables, UserRow } from './tables.ts'

onEachDatabase('migrate', (service) => {
  test('migrate changes nothing when every migration is applied', async () => {
    assert.deepEqual(await migrate(service().context.database), [])
    assert.equal(await readMigrationState(service().context.database), 'current')
  })

  test('migrate applies no migration when one fails, and names it', async () => {
    const { database } = service().context
    const broken = {
      ...MIGRATIONS,
      '9998-fine': {
        up: (db: typeof database) => db.schema.createTable('left-over').addColumn('id', 'text').execute(),
      },
      '9999-broken': { up: () => Promise.reject(new Error('disk on fire')) },
    }
    await assert.rejects(migrate(database, broken), /9999-broken failed, and nothing was changed: disk on fire/)
    const tables = await database.introspection.getTables()
    assert.ok(!tables.some(({ name }) => name === 'left-over'))
    assert.equal(await readMigrationState(database), 'current')
  })

  test('Migration 0013 changes account ids that look like API keys', async (t) => {
    const testDatabase = await createTestDatabase(service().engine)
    t.after(() => testDatabase.drop())
    const { database: settings } = readConfig({ DATABASE_URL: testDatabase.url, SECRET: 'x'.repeat(32) })
    const { database, close } = openDatabase(settings, () => {})
    t.after(close)
    const older = Object.entries(MIGRATIONS).filter(([name]) => name < '0013')
    await migrate(database, Object.fromEntries(older))
    await sql`insert into users (id, name, email, "emailVerified", role, "createdAt", "updatedAt")
      values ('usr_1', 'Ada', 'ada@example.com', 1, 'user', 1, 1)`.execute(database)
    await sql`insert into accounts values ('acc_0123', 'usr_1', 'credential', 'usr_1', 'hash', 1, 1)`.execute(database)
    await migrate(database)
    const account = await database.selectFrom('accounts').selectAll().executeTakeFirstOrThrow()
    assert.deepEqual([account.id, account.userId, account.passwordHash], ['lac_0123', 'usr_1', 'hash'])
    const user = await database.selectFrom('users').selectAll().executeTakeFirstOrThrow()
    assert.equal(user.properties, '{}')
  })

  test('Migration 0015 drops the counters of users and their triggers, and users can be changed afterwards', async (t) => {
    const testDatabase = await createTestDatabase(service().engine)
    t.after(() => testDatabase.drop())
    const { database: settings } = readConfig({ DATABASE_URL: testDatabase.url, SECRET: 'x'.repeat(32) })
    const { database, close } = openDatabase(settings, () => {})
    t.after(close)
    await migrate(database, Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0015')))
    const users = Array.from({ length: 20 }, (_, index) => olderUser(index))
    await database.insertInto('users').values(users).execute()
    await migrate(database, Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0016')))

    const tables = (await database.introspection.getTables()).map(({ name }) => name)
    assert.ok(!tables.includes('userStandings') && !tables.includes('userDays'))
    assert.deepEqual(await triggersOfUsers(database, settings.engine), TRIGGERS_OF_USERS[settings.engine])
    await database.insertInto('users').values(olderUser(20)).execute()
    await database.updateTable('users').set({ role: 'support', name: 'Bea' }).where('id', '=', 'usr_3').execute()
    await database.deleteFrom('users').where('id', '=', 'usr_4').execute()
    const left = await database.selectFrom('users').select('id').orderBy('createdAt').execute()
    assert.deepEqual(
      left.map(({ id }) => id),
      [...users.map(({ id }) => id).filter((id) => id !== 'usr_4'), 'usr_20'],
    )
  })

  test('Migration 0016 renames columns of encrypted text and keeps their values', async (t) => {
    const testDatabase = await createTestDatabase(service().engine)
    t.after(() => testDatabase.drop())
    const { database: settings } = readConfig({ DATABASE_URL: testDatabase.url, SECRET: 'x'.repeat(32) })
    const { database, close } = openDatabase(settings, () => {})
    t.after(close)
    const older = Object.entries(MIGRATIONS).filter(([name]) => name < '0016')
    await migrate(database, Object.fromEntries(older))
    await sql`insert into outbox (id, kind, recipient, "sealedLetter", "createdAt", attempts, "nextAttemptAt")
      values ('let_1', 'invitation', 'ada@example.com', 'encrypted email', 1, 0, 1)`.execute(database)
    await sql`insert into "signingKeys" (id, generation, "publicJwk", "sealedPrivateJwk", "createdAt", "activeAt")
      values ('key_1', 1, '{}', 'encrypted key', 1, 1)`.execute(database)
    await sql`insert into users (id, name, email, "emailVerified", role, "createdAt", "updatedAt")
      values ('usr_1', 'Ada', 'ada@example.com', 1, 'user', 1, 1)`.execute(database)
    await sql`insert into sessions (id, "userId", "tokenHash", "createdAt", "updatedAt", "expiresAt", "authenticatedAt",
        "rememberMe", "sealedImpersonatorToken")
      values ('ses_1', 'usr_1', 'hash', 1, 1, 2, 1, 0, 'encrypted token')`.execute(database)
    await migrate(database)
    const email = await database.selectFrom('outbox').selectAll().executeTakeFirstOrThrow()
    const key = await database.selectFrom('signingKeys').selectAll().executeTakeFirstOrThrow()
    const session = await database.selectFrom('sessions').selectAll().executeTakeFirstOrThrow()
    assert.deepEqual(
      [email.encryptedEmail, key.encryptedPrivateJwk, session.encryptedImpersonatorToken],
      ['encrypted email', 'encrypted key', 'encrypted token'],
    )
  })

  test('migrate runs once when several processes start concurrently', async (t) => {
    const testDatabase = await createTestDatabase(service().engine)
    t.after(() => testDatabase.drop())
    const { database: settings } = readConfig({ DATABASE_URL: testDatabase.url, SECRET: 'x'.repeat(32) })
    const processes = [1, 2, 3, 4].map(() => openDatabase(settings, () => {}))
    const applied = await Promise.all(processes.map(({ database }) => migrate(database)))
    await Promise.all(processes.map(({ close }) => close()))
    assert.deepEqual(applied.flat().toSorted(), Object.keys(MIGRATIONS))
  })
})

test('migrate on SQLite applies no migration when one fails after a long one', async (t) => {
  const testDatabase = await createTestDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const path = testDatabase.url.slice('sqlite:'.length)
  const { database, close } = openDatabase({ engine: 'sqlite', path }, () => {})
  t.after(close)
  const fine: Migrations = {
    '0001-quick': { up: (db) => db.schema.createTable('first').addColumn('id', 'text').execute() },
    '0002-long': { kind: 'expand', online: ({ createIndex }) => createIndex('first_id', sql`on first (id)`) },
  }
  const fail = () => Promise.reject(new Error('disk on fire'))
  const broken: Migrations[] = [{ '0003-quick': { up: fail } }, { '0003-long': { kind: 'expand', online: fail } }]
  for (const last of broken) {
    await assert.rejects(
      migrate(database, { ...fine, ...last }),
      /Migration 0003-\w+ failed, and nothing was changed: disk on fire/,
    )
    assert.deepEqual(await listAppliedMigrations(database), [])
  }
  assert.deepEqual(await migrate(database, fine), Object.keys(fine))
})

/** The trigram index of SQLite follows the users. */
const TRIGGERS_OF_USERS = {
  sqlite: ['users_search_delete', 'users_search_insert', 'users_search_update'],
  postgres: [],
}

async function triggersOfUsers(database: Kysely<Tables>, engine: 'sqlite' | 'postgres'): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`${
    engine === 'sqlite'
      ? sql`select name from sqlite_schema where type = 'trigger' and tbl_name = 'users'`
      : sql`select tgname as name from pg_trigger where tgrelid = 'users'::regclass and not tgisinternal`
  } order by 1`.execute(database)
  return rows.map(({ name }) => name)
}

/** A row of before `twoFactorEnabled`. */
function olderUser(index: number): UserRow {
  const row: Omit<UserRow, 'twoFactorEnabled'> = {
    id: `usr_${index}`,
    name: 'Ada',
    email: `ada${index}@example.com`,
    emailVerified: 1,
    image: null,
    role: 'user',
    banned: 0,
    banReason: null,
    banExpires: null,
    createdAt: index,
    updatedAt: index,
    properties: '{}',
  }
  return row as UserRow
}
