import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { postgresForTests, query, type TestDatabase } from './postgres.ts'
import { createTestDatabase, type Engine } from './test-database.ts'

/** A database of each engine that is prepared once, for a run or for a process that runs alone, and then copied. */
export interface DatabaseTemplate {
  copy(engine: Engine): Promise<TestDatabase>
  /** Prepares both for a run of many processes. @returns environment variables of these processes */
  createForRun(folder: string): Promise<Record<string, string>>
}

/** @param variables of a run: the name of a database of PostgreSQL, and the path of a file */
export function defineTemplate(
  variables: Record<Engine, string>,
  prepare: (engine: Engine) => Promise<TestDatabase>,
): DatabaseTemplate {
  let postgresName: Promise<string> | undefined
  let sqliteBytes: Promise<Buffer> | undefined
  const findPostgresName = async () => process.env[variables.postgres] ?? (await prepareName())
  const findSqliteBytes = async () => {
    const file = process.env[variables.sqlite]
    return file ? await readFile(file) : await prepareBytes()
  }

  /** The name of a database that stays until its server ends. */
  async function prepareName(): Promise<string> {
    const name = new URL((await prepare('postgres')).url).pathname.slice(1)
    // PgBouncer keeps connections to the server open, and PostgreSQL copies no database that has any.
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`
    await query((await postgresForTests()).url('postgres'), end)
    return name
  }

  async function prepareBytes(): Promise<Buffer> {
    const database = await prepare('sqlite')
    try {
      return await readFile(pathOf(database))
    } finally {
      await database.drop()
    }
  }

  return {
    async copy(engine) {
      if (engine === 'postgres') {
        postgresName ??= findPostgresName()
        return (await postgresForTests()).createDatabase(`template ${await postgresName}`)
      }
      sqliteBytes ??= findSqliteBytes()
      const database = await createTestDatabase('sqlite')
      await writeFile(pathOf(database), await sqliteBytes, { mode: 0o600 })
      return database
    },
    async createForRun(folder) {
      postgresName = prepareName()
      sqliteBytes = prepareBytes()
      const file = join(folder, `${variables.sqlite}.db`)
      await writeFile(file, await sqliteBytes)
      return { [variables.postgres]: await postgresName, [variables.sqlite]: file }
    },
  }
}

function pathOf({ url }: TestDatabase): string {
  return url.slice('sqlite:'.length)
}
