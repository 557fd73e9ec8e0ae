import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { pino } from 'pino'
import { buildApp } from '../../server/app.ts'
import { openContext } from '../../server/core/context.ts'
import { seedUsers } from '../../server/core/users/seed-users.ts'
import { createAdmin } from '../../server/features/account/setup/create-admin.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { migrate } from '../../server/platform/database/migrate.ts'
import type { HttpApp } from '../../server/platform/http/http-app.ts'
import { PASSWORD } from '../population.ts'

const ADMIN = { email: 'admin@example.com', name: 'Ada Admin', password: PASSWORD }

export interface Population {
  /** @returns milliseconds until the response. A user has changed since the question before. */
  ask(query: string): Promise<number>
  close(): Promise<void>
}

/** Made-up users in a database of their own, and an administrator who lists them. */
export async function openPopulation(databaseUrl: string, count: number): Promise<Population> {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    SECRET: randomBytes(32).toString('base64url'),
    // The limit of one administrator, who asks all the questions.
    USER_CHANGES_PER_MINUTE: '1000000',
  })
  const opened = openContext(config, { now: Date.now, randomBytes, log: pino({ level: 'silent' }) })
  const { database } = opened.context
  await migrate(database)
  await seedUsers(opened.context, count, () => {})
  await createAdmin(opened.context, ADMIN)
  // As PostgreSQL's autovacuum would do within minutes of so many inserts.
  if (config.database.engine === 'postgres') await sql`vacuum analyze users`.execute(database)
  const app = await buildApp(opened)
  await app.ready()
  // On localhost, a request with another Host is refused.
  const { host } = new URL(config.baseUrl)
  const headers = { host, authorization: `Bearer ${await signIn(app, host)}` }
  return {
    async ask(query) {
      await database.updateTable('users').set({ updatedAt: Date.now() }).where('email', '=', ADMIN.email).execute()
      const start = performance.now()
      const { statusCode, body } = await app.inject({ url: `/api/auth/admin/list-users?${query}`, headers })
      if (statusCode !== 200) throw new Error(`${query}: ${body}`)
      return performance.now() - start
    },
    async close() {
      await app.close()
      await opened.close()
    },
  }
}

async function signIn(app: HttpApp, host: string): Promise<string> {
  const { email, password } = ADMIN
  const response = await app.inject({
    method: 'POST',
    url: '/api/auth/sign-in/email',
    headers: { host },
    payload: { email, password },
  })
  return response.json<{ token: string }>().token
}
