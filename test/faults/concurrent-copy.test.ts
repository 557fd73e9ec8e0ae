import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'
import { openContext } from '../../server/core/context.ts'
import { registerSecret } from '../../server/features/secret-rotation/register-secret.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { beginCopy } from '../../server/platform/database/copy/copy-state.ts'
import { migrate } from '../../server/platform/database/migrate.ts'
import { MIGRATIONS } from '../../server/platform/database/migration.ts'
import { MIGRATION_LOCK_KEY } from '../../server/platform/database/migration-lock.ts'
import { holdTransaction } from '../support/hold-transaction.ts'
import { newSecret, runAccounts } from '../support/process.ts'
import { createRandom } from '../support/random.ts'
import { createTestDatabase, type Engine } from '../support/test-database.ts'
import { until } from '../support/until.ts'

const seed = Number(process.env.SEED ?? randomInt(1_000_000))
const ROUNDS = 20
const LONGEST_PAUSE_MILLISECONDS = 20
const RESTORE = { kind: 'restore', source: '/backups/accounts.db' } as const

for (const engine of ['sqlite', 'postgres'] as const)
  test(`A start and a concurrent restore on one new database do not both succeed (${engine}, SEED=${seed})`, async (t) => {
    const { context } = await open(t, engine)
    const { database } = context
    const random = createRandom(seed)
    await migrate(database)
    for (let round = 0; round < ROUNDS; round += 1) {
      const restore = pause(random.integer(0, LONGEST_PAUSE_MILLISECONDS)).then(() => beginCopy(database, RESTORE))
      const start = pause(random.integer(0, LONGEST_PAUSE_MILLISECONDS)).then(() => registerSecret(context))
      const outcomes = await Promise.allSettled([restore, start])
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
      assert.equal(refused.length, 1)
      assert.match(
        refused[0]?.reason.message,
        /The target is not empty: secretGenerations|The database is half restored/,
      )
      await database.deleteFrom('copyState').execute()
      await database.deleteFrom('secretGenerations').execute()
    }
  })

test('A command that waits for migrations is refused when a restore has begun in that time', async (t) => {
  const { context, environment } = await open(t, 'postgres')
  await migrate(context.database, Object.fromEntries(Object.entries(MIGRATIONS).slice(0, -1)))
  await registerSecret(context)
  const lock = `select pg_advisory_xact_lock(${MIGRATION_LOCK_KEY})`
  const endMigrations = await holdTransaction(t, environment.DATABASE_URL, lock)
  const { ended, output } = runAccounts(['migrate'], environment)
  await until(async () => output().includes('This one waits for it'), 'the command waits')
  await context.database
    .insertInto('copyState')
    .values({ id: 1, ...RESTORE, step: null, lastKey: null })
    .execute()
  endMigrations()
  assert.equal(await ended, 1)
  assert.match(output(), /The database is half restored/)
})

test('A command that waits for the lock of migrations to register its SECRET says so', async (t) => {
  const { context, environment } = await open(t, 'postgres')
  await migrate(context.database)
  await registerSecret(context)
  const lock = `select pg_advisory_xact_lock(${MIGRATION_LOCK_KEY})`
  const endMigrations = await holdTransaction(t, environment.DATABASE_URL, lock)
  const { ended, output } = runAccounts(['migrate'], {
    ...environment,
    SECRET: newSecret(),
    PREVIOUS_SECRET: environment.SECRET,
  })
  await until(async () => output().includes('This one waits for it'), 'the command waits')
  endMigrations()
  assert.equal(await ended, 0, output())
})

async function open(t: TestContext, engine: Engine) {
  const testDatabase = await createTestDatabase(engine)
  t.after(() => testDatabase.drop())
  const environment = { DATABASE_URL: testDatabase.url, SECRET: newSecret() }
  const runtime = { now: Date.now, randomBytes, log: pino({ level: 'silent' }) }
  const { context, close } = openContext(readConfig(environment), runtime)
  t.after(close)
  return { context, environment }
}
