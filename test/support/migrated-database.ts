import { readFile, writeFile } from 'node:fs/promises'
import { migrate } from '../../server/platform/database/migrate.ts'
import { openDatabase } from '../../server/platform/database/open.ts'
import { postgresForTests, query, type TestDatabase } from './postgres.ts'
import { createTestDatabase, type Engine } from './test-database.ts'

let template: Promise<string> | undefined
let file: Promise<Buffer> | undefined

/** A database with all tables and no rows. Each process migrates once for each engine, and copies the result. */
export async function createMigratedDatabase(engine: Engine): Promise<TestDatabase> {
  if (engine === 'postgres') {
    template ??= createTemplate()
    return (await postgresForTests()).createDatabase(`template ${await template}`)
  }
  file ??= createFile()
  const database = await createTestDatabase('sqlite')
  await writeFile(pathOf(database), await file, { mode: 0o600 })
  return database
}

/** The name of a database that stays until its server ends. */
async function createTemplate(): Promise<string> {
  const { url } = await createTestDatabase('postgres')
  await migrateDatabase({ engine: 'postgres', url })
  const name = new URL(url).pathname.slice(1)
  // PgBouncer keeps connections to the server open, and PostgreSQL copies no database that has any.
  const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`
  await query((await postgresForTests()).url('postgres'), end)
  return name
}

async function createFile(): Promise<Buffer> {
  const database = await createTestDatabase('sqlite')
  try {
    await migrateDatabase({ engine: 'sqlite', path: pathOf(database) })
    return await readFile(pathOf(database))
  } finally {
    await database.drop()
  }
}

async function migrateDatabase(config: Parameters<typeof openDatabase>[0]): Promise<void> {
  const { database, close } = openDatabase(config, () => {})
  await migrate(database)
  await close()
}

function pathOf({ url }: TestDatabase): string {
  return url.slice('sqlite:'.length)
}
