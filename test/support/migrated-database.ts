import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { migrate } from '../../server/platform/database/migrate.ts'
import { openDatabase } from '../../server/platform/database/open.ts'
import { postgresForTests, query, type TestDatabase } from './postgres.ts'
import { createTestDatabase, type Engine } from './test-database.ts'

/** Variables of a run with many processes. A template has all tables and no rows. */
const POSTGRES_TEMPLATE = 'TEST_POSTGRES_TEMPLATE'
const SQLITE_TEMPLATE = 'TEST_SQLITE_TEMPLATE'

let postgresTemplate: Promise<string> | undefined
let sqliteTemplate: Promise<Buffer> | undefined

/** A database with all tables and no rows: a copy of a template of the run, or of this process if it runs alone. */
export async function createMigratedDatabase(engine: Engine): Promise<TestDatabase> {
  if (engine === 'postgres') {
    postgresTemplate ??= findPostgresTemplate()
    return (await postgresForTests()).createDatabase(`template ${await postgresTemplate}`)
  }
  sqliteTemplate ??= findSqliteTemplate()
  const database = await createTestDatabase('sqlite')
  await writeFile(pathOf(database), await sqliteTemplate, { mode: 0o600 })
  return database
}

/** Migrates one database of each engine for a run of many processes. @param folder that stays until the run ends */
export async function createTemplates(folder: string): Promise<Record<string, string>> {
  const file = join(folder, 'template.db')
  await writeFile(file, await createFile())
  return { [POSTGRES_TEMPLATE]: await createTemplate(), [SQLITE_TEMPLATE]: file }
}

/** An environment for another PostgreSQL, which has no template. */
export function withoutPostgresTemplate(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { [POSTGRES_TEMPLATE]: _, ...others } = environment
  return others
}

async function findPostgresTemplate(): Promise<string> {
  return process.env[POSTGRES_TEMPLATE] ?? (await createTemplate())
}

async function findSqliteTemplate(): Promise<Buffer> {
  const file = process.env[SQLITE_TEMPLATE]
  return file ? await readFile(file) : await createFile()
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
