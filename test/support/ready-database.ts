import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { openMigrated } from '../../server/commands/prepare.ts'
import { createSigningKey } from '../../server/features/tokens/create-signing-key.ts'
import { insertKey } from '../../server/features/tokens/store.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { defineTemplate } from './database-template.ts'
import { createMigratedDatabase, MIGRATED_TEMPLATE, MIGRATED_VARIABLES } from './migrated-database.ts'
import type { TestDatabase } from './postgres.ts'
import type { Engine } from './test-database.ts'

const SECRET_VARIABLE = 'TEST_SECRET'
const READY_VARIABLES = { sqlite: 'TEST_READY_SQLITE_TEMPLATE', postgres: 'TEST_READY_POSTGRES_TEMPLATE' }

/** SECRET of the databases that are ready, the same in all processes of a run. */
export const READY_SECRET = process.env[SECRET_VARIABLE] ?? randomBytes(32).toString('hex')

const READY_TEMPLATE = defineTemplate(READY_VARIABLES, async (engine) => {
  const testDatabase = await createMigratedDatabase(engine)
  const config = readConfig({ DATABASE_URL: testDatabase.url, SECRET: READY_SECRET })
  const runtime = { now: Date.now, randomBytes, log: pino({ level: 'silent' }) }
  const { context, close } = await openMigrated(config, runtime)
  await insertKey(context.database, await createSigningKey(context, { generation: 1, activeAt: context.now() }))
  await close()
  return testDatabase
})

/**
 * A database after a first start: SECRET is registered, and there is a signing key, without its audit event. A new RSA
 * key takes half the CPU time of a start.
 */
export function createReadyDatabase(engine: Engine): Promise<TestDatabase> {
  return READY_TEMPLATE.copy(engine)
}

/** The templates of a run. @returns environment variables of its processes */
export async function createTemplates(folder: string): Promise<Record<string, string>> {
  const migrated = await MIGRATED_TEMPLATE.createForRun(folder)
  return { ...migrated, ...(await READY_TEMPLATE.createForRun(folder)), [SECRET_VARIABLE]: READY_SECRET }
}

/** An environment for tests of another PostgreSQL, which has no template, or of a copy with other migrations. */
export function withoutTemplates(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = [...Object.values(MIGRATED_VARIABLES), ...Object.values(READY_VARIABLES)]
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.includes(name)))
}
