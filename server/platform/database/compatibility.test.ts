import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Migration as KyselyMigration, Migrator } from 'kysely/migration'
import { openEmptyDatabase } from '../../../test/support/empty-database.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { listPendingMigrations, MigrationError, migrate, readMigrationState } from './migrate.ts'
import { MIGRATIONS, type Migrations } from './migration.ts'

const NEWEST = Object.keys(MIGRATIONS).at(-1) ?? ''
const up = async () => {}
const MIGRATIONS_WITH_KIND = Object.entries(MIGRATIONS).filter(([name]) => name >= '0020')

/** A later version migrates the database. */
const LATER: Record<string, { added: Migrations; state: 'current' | 'too new' }> = {
  'expand migrations': {
    added: { '9000-more': { kind: 'expand', up }, '9001-more': { kind: 'expand', up } },
    state: 'current',
  },
  'a contract migration that needs a known one': {
    added: { '9000-less': { kind: 'contract', needs: NEWEST, up } },
    state: 'current',
  },
  'a contract migration that needs an unknown one': {
    added: { '9000-more': { kind: 'expand', up }, '9001-less': { kind: 'contract', needs: '9000-more', up } },
    state: 'too new',
  },
  'a contract migration that needs no version': { added: { '9000-less': { kind: 'contract', up } }, state: 'too new' },
  'a migration without a kind': { added: { '9000-unknown': { up } }, state: 'too new' },
}

onEachDatabase('A database of a later version', (service) => {
  for (const [what, { added, state }] of Object.entries(LATER)) {
    test(`This version ${state === 'current' ? 'works with' : 'refuses'} a database with ${what}`, async (t) => {
      const database = await openEmptyDatabase(t, service().engine)
      const later = { ...MIGRATIONS, ...added }
      assert.deepEqual(await migrate(database, later), Object.keys(later))
      assert.equal(await readMigrationState(database), state)
      if (state === 'current') assert.deepEqual(await migrate(database), [])
      else
        await assert.rejects(migrate(database), (error) => {
          assert.ok(error instanceof MigrationError)
          assert.match(error.message, /newer than this version of Accounts: it has 9\d{3}-\w+\. Start the version that/)
          return true
        })
    })
  }

  test('readyz returns 503 in a running process when a later version has stopped its support', async () => {
    const client = service().client()
    assert.equal((await client.get('/readyz')).status, 200)
    const { database } = service().context
    await migrate(database, { ...MIGRATIONS, '9000-more': { kind: 'expand', up } })
    assert.equal((await client.get('/readyz')).status, 200)
    await migrate(database, { ...MIGRATIONS, '9000-more': { up }, '9001-less': { kind: 'contract', up } })
    const { status, body } = await client.get('/readyz')
    assert.deepEqual([status, body.code], [503, 'SERVICE_UNAVAILABLE'])
    assert.match(body.message, /a later version, with which this one does not work/)
  })

  test('migrate continues the list of migrations of a version that stored no kinds', async (t) => {
    const database = await openEmptyDatabase(t, service().engine)
    const older = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0020'))
    const getMigrations = async () => older as Record<string, KyselyMigration>
    const { error } = await new Migrator({ db: database, provider: { getMigrations } }).migrateToLatest()
    assert.equal(error, undefined)
    const later: Migrations = { ...MIGRATIONS, '9000-more': { kind: 'expand', up } }
    const pending = (await listPendingMigrations(database, later)).map(([name]) => name)
    assert.deepEqual(pending, Object.keys(later).slice(Object.keys(older).length))
    assert.deepEqual(await migrate(database, later), pending)
    assert.equal(await readMigrationState(database), 'current')
  })
})

test('Every migration since 0020 says what it does to earlier versions', () => {
  for (const [name, { kind, needs }] of MIGRATIONS_WITH_KIND) {
    assert.ok(kind === 'expand' || kind === 'contract', `${name} exports kind`)
    assert.ok(needs === undefined || (kind === 'contract' && needs in MIGRATIONS && needs < name), `${name}: ${needs}`)
  }
})
