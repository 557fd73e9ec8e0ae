import type { TestContext } from 'node:test'
import type { Kysely } from 'kysely'
import { readConfig } from '../../server/platform/config/config.ts'
import { openDatabase } from '../../server/platform/database/open.ts'
import type { Tables } from '../../server/platform/database/tables.ts'
import { createTestDatabase, type Engine } from './test-database.ts'

/** Opens a database without tables, as another process of the test `count` times. */
export async function openEmptyDatabases(t: TestContext, engine: Engine, count: number) {
  const testDatabase = await createTestDatabase(engine)
  t.after(() => testDatabase.drop())
  const { database: settings } = readConfig({ DATABASE_URL: testDatabase.url, SECRET: 'x'.repeat(32) })
  const databases = Array.from({ length: count }, () => {
    const { database, close } = openDatabase(settings, () => {})
    t.after(close)
    return database
  })
  return { url: testDatabase.url, databases }
}

export async function openEmptyDatabase(t: TestContext, engine: Engine): Promise<Kysely<Tables>> {
  const [database] = (await openEmptyDatabases(t, engine, 1)).databases
  if (!database) throw new Error('No database was opened')
  return database
}
