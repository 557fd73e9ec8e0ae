import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { apiKey } from '@better-auth/api-key'
import { passkey } from '@better-auth/passkey'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { admin, organization, twoFactor } from 'better-auth/plugins'
import pg from 'pg'
import { type Client, createClient } from './client.ts'
import type { TestDatabase } from './postgres.ts'
import { createTestDatabase, type Engine } from './test-database.ts'

/** A real Better Auth with its plugins and its own database. */
export interface BetterAuth {
  /** The URL of the database of Better Auth. */
  url: string
  secret: string
  /** A new browser with its own cookies. */
  client(): Client
  /** Runs SQL in the form of SQLite, with ? for parameters. */
  run(sql: string, ...parameters: (string | number | null)[]): Promise<Record<string, unknown>[]>
  stop(): Promise<void>
}

interface Settings {
  engine: Engine
  /** The origin of its pages, which is also the relying party of its passkeys. */
  baseUrl: string
  /** Without plugins, the database has only the tables of users. */
  hasPlugins?: boolean
  /** Whether ids are numbers. Each table starts at 1. */
  hasNumericIds?: boolean
}

export async function startBetterAuth({
  engine,
  baseUrl,
  hasPlugins = true,
  hasNumericIds = false,
}: Settings): Promise<BetterAuth> {
  const testDatabase = await createTestDatabase(engine)
  const database = openDatabase(engine, testDatabase)
  const secret = randomBytes(32).toString('base64url')
  const options = {
    database: database.connection,
    baseURL: baseUrl,
    secret,
    emailAndPassword: { enabled: true },
    advanced: hasNumericIds ? { database: { generateId: 'serial' } } : {},
    plugins: hasPlugins
      ? [
          organization({ sendInvitationEmail: async () => {} }),
          admin(),
          twoFactor(),
          passkey(),
          apiKey([
            { configId: 'organizations', references: 'organization', defaultPrefix: 'works_', enableMetadata: true },
            { configId: 'users', references: 'user' },
          ]),
        ]
      : [],
    rateLimit: { enabled: false },
    logger: { disabled: true },
    telemetry: { enabled: false },
  } satisfies BetterAuthOptions
  await (await getMigrations(options)).runMigrations()
  const { handler } = betterAuth(options as BetterAuthOptions)
  return {
    url: testDatabase.url,
    secret,
    client: () => createClient(baseUrl, handler),
    run: database.run,
    async stop() {
      await database.close()
      await testDatabase.drop()
    },
  }
}

function openDatabase(engine: Engine, { url }: TestDatabase) {
  if (engine === 'sqlite') {
    const connection = new DatabaseSync(url.slice('sqlite:'.length))
    return {
      connection,
      run: async (sql: string, ...parameters: (string | number | null)[]) => connection.prepare(sql).all(...parameters),
      close: async () => connection.close(),
    }
  }
  const connection = new pg.Pool({ connectionString: url, max: 2 })
  // Dropping the database ends connections that the pool is still closing.
  connection.on('error', () => {})
  return {
    connection,
    async run(sql: string, ...parameters: (string | number | null)[]) {
      let position = 0
      const numbered = sql.replaceAll('?', () => `$${++position}`)
      return (await connection.query(numbered, parameters)).rows as Record<string, unknown>[]
    },
    close: () => connection.end(),
  }
}
