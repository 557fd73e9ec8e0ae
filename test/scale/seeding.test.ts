import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { seed } from '../../bench/scale/seed/seed.ts'
import { environmentOf } from '../../bench/scale/service.ts'
import { verifyChain } from '../../server/core/audit/verify-chain.ts'
import { type Context, openContext } from '../../server/core/context.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { createMigratedDatabase } from '../support/migrated-database.ts'
import { createTestDatabase, type Engine } from '../support/test-database.ts'

const USERS = 200

/** Indexes and constraints, which the seed drops before it inserts the rows. */
const DEFINITIONS: Record<Engine, string> = {
  sqlite: `select name, sql as definition from sqlite_schema order by name`,
  postgres: `select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
    where connamespace = 'public'::regnamespace and convalidated
    union all select indexname, indexdef from pg_indexes where schemaname = 'public' order by name, definition`,
}

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`A database on ${engine} that the scale benchmark seeded has every index, constraint and audit event`, async (t) => {
    const [seeded, migrated] = [await createTestDatabase(engine), await createMigratedDatabase(engine)]
    t.after(() => Promise.all([seeded.drop(), migrated.drop()]))
    await seed(environmentOf(seeded.url), USERS)
    const contexts: Context[] = [seeded, migrated].map(({ url }) => {
      const runtime = { now: Date.now, randomBytes, log: pino({ level: 'silent' }) }
      const { context, close } = openContext(readConfig(environmentOf(url)), runtime)
      t.after(close)
      return context
    })
    const [ours, expected] = await Promise.all(
      contexts.map(async ({ database }) => (await sql.raw(DEFINITIONS[engine]).execute(database)).rows),
    )
    assert.deepEqual(ours, expected)
    const { head, problem } = await verifyChain(contexts[0]!, undefined, () => {})
    assert.deepEqual([head.sequence, problem], [5 * USERS, undefined])
    if (engine === 'sqlite') {
      const broken = await sql`select * from pragma_foreign_key_check`.execute(contexts[0]!.database)
      assert.deepEqual(broken.rows, [])
    }
  })
}
