import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { backupCommand } from '../../server/commands/backup.ts'
import { migrateCommand } from '../../server/commands/migrate.ts'
import { seedUsers } from '../../server/core/users/seed-users.ts'
import { COPY_STEPS } from '../../server/platform/database/copy/copy-steps.ts'
import type { Tables } from '../../server/platform/database/tables.ts'
import { createInstallation, type Installation } from '../support/copies.ts'
import { runAccounts } from '../support/process.ts'
import { createRandom } from '../support/random.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import type { Engine } from '../support/test-database.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const isLong = Number(process.env.KILL_ROUNDS ?? 10) > 10
const kills = isLong ? 20 : 1
const USERS = isLong ? 20_000 : 3_000
/** A pause before the last kill, longer than the rest of a copy takes without load. */
const AFTER_GOAL_MILLISECONDS = isLong ? 1_500 : 100
const MOVES: [Engine, Engine][] = [
  ['sqlite', 'postgres'],
  ...(isLong ? [['postgres', 'sqlite'] as [Engine, Engine]] : []),
]
const RESTORES: [Engine, Engine][] = [
  ['sqlite', 'postgres'],
  ...(isLong ? [['sqlite', 'sqlite'] as [Engine, Engine]] : []),
]
/** A restore deletes rows of these tables, and inserts new ones. */
const CHANGED_BY_RESTORE = ['auditEvents', 'signingKeys', 'outbox', 'singleUseTokens']

describe(`Killed copies (SEED=${seed} kills=${kills})`, () => {
  for (const [from, to] of MOVES) {
    test(`A move from ${from} to ${to} that is killed again and again continues, and loses no row`, async (t) => {
      const { installation, source, target } = await prepare(t, from, to)
      await runKilled(t, installation, target, ['move', '--to', target], source)
      await assertEqual(installation, source, target, ['auditEvents'])
    })
  }

  for (const [from, to] of RESTORES)
    test(`A restore into ${to} that is killed again and again continues, and loses no row`, async (t) => {
      const folder = createTemporaryFolder(t)
      const { installation, source, target } = await prepare(t, from, to)
      const file = join(folder, 'backup.db')
      await installation.run(source, backupCommand, '--to', file)
      await runKilled(t, installation, target, ['restore', file], target)
      await assertEqual(installation, source, target, CHANGED_BY_RESTORE)
      const { context, close } = installation.open(target)
      t.after(close)
      const keys = await context.database
        .selectFrom('signingKeys')
        .select('id')
        .where('withdrawnAt', 'is', null)
        .execute()
      assert.equal(keys.length, 1)
    })
})

async function prepare(t: TestContext, from: Engine, to: Engine) {
  const installation = await createInstallation(t)
  const [source, target] = [await installation.createDatabase(from), await installation.createDatabase(to)]
  await installation.run(source, migrateCommand)
  const { context, close } = installation.open(source)
  await seedUsers(context, USERS, () => {})
  await close()
  return { installation, source, target }
}

/** Kills the command each time the target has a random number of users. The last run may end. */
async function runKilled(
  t: TestContext,
  installation: Installation,
  target: string,
  commandArguments: string[],
  databaseUrl: string,
): Promise<void> {
  const random = createRandom(seed)
  const { context, close } = installation.open(target)
  // A killed restore leaves its copy of the backup.
  const TMPDIR = createTemporaryFolder(t)
  const environment = { ...installation.environment, DATABASE_URL: databaseUrl, TMPDIR }
  const goals = Array.from({ length: kills }, () => random.integer(1, USERS)).sort((one, other) => one - other)
  let [killed, isDone] = [0, false]
  for (const goal of goals) {
    const { child, ended, output } = runAccounts(commandArguments, environment)
    while (child.exitCode === null && (await countUsers(context.database)) < goal) await pause(1)
    // The last kill is during the rest of the copy, during the verification, or at the end.
    if (goal === goals.at(-1)) await pause(random.integer(0, AFTER_GOAL_MILLISECONDS))
    child.kill('SIGKILL')
    const code = await ended
    assert.ok(code === 0 || child.signalCode === 'SIGKILL', output())
    isDone = !(await context.database.selectFrom('copyState').selectAll().executeTakeFirst())
    if (isDone) break
    killed += 1
    if (killed === 1) await assertStartRefused(installation, target)
  }
  t.diagnostic(`${killed} kills`)
  await close()
  assert.ok(killed > 0 || isLong, 'the command ended before it was killed')
  if (isDone) return
  const { ended, output } = runAccounts(commandArguments, environment)
  assert.equal(await ended, 0, output())
  assert.match(output(), /every row is verified/)
}

async function countUsers(database: Kysely<Tables>): Promise<number> {
  const tables = await database.introspection.getTables()
  if (!tables.some(({ name }) => name === 'copyState')) return 0
  const query = database.selectFrom('users').select(({ fn }) => fn.countAll<number>().as('count'))
  return (await query.executeTakeFirstOrThrow()).count
}

async function assertStartRefused(installation: Installation, target: string): Promise<void> {
  const { ended, output } = runAccounts(['start'], { ...installation.environment, DATABASE_URL: target })
  assert.equal(await ended, 1, output())
  assert.match(output(), /unfinished target of a move|half restored/)
}

/** Compares the tables itself, without the code that copies. */
async function assertEqual(
  installation: Installation,
  source: string,
  target: string,
  without: string[],
): Promise<void> {
  const [from, to] = [installation.open(source), installation.open(target)]
  try {
    for (const { table } of COPY_STEPS) {
      if (without.includes(table)) continue
      const [expected, found] = [
        await readSorted(from.context.database, table),
        await readSorted(to.context.database, table),
      ]
      assert.deepEqual(found, expected, table)
    }
  } finally {
    await from.close()
    await to.close()
  }
}

async function readSorted(database: Kysely<Tables>, table: string): Promise<string[]> {
  const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(database)
  return rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort()
}
