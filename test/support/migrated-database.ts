import { readConfig } from '../../server/platform/config/config.ts'
import { migrate } from '../../server/platform/database/migrate.ts'
import { openDatabase } from '../../server/platform/database/open.ts'
import { defineTemplate } from './database-template.ts'
import type { TestDatabase } from './postgres.ts'
import { createTestDatabase, type Engine } from './test-database.ts'

export const MIGRATED_VARIABLES = { sqlite: 'TEST_SQLITE_TEMPLATE', postgres: 'TEST_POSTGRES_TEMPLATE' }

export const MIGRATED_TEMPLATE = defineTemplate(MIGRATED_VARIABLES, async (engine) => {
  const testDatabase = await createTestDatabase(engine)
  const { database: settings } = readConfig({ DATABASE_URL: testDatabase.url, SECRET: 'x'.repeat(32) })
  const { database, close } = openDatabase(settings, () => {})
  await migrate(database)
  await close()
  return testDatabase
})

/** A database with all tables and no rows. */
export function createMigratedDatabase(engine: Engine): Promise<TestDatabase> {
  return MIGRATED_TEMPLATE.copy(engine)
}
