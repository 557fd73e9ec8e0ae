import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { isMigrated } from '../database/migrate.ts'
import type { Tables } from '../database/tables.ts'
import { ApiError } from './errors.ts'
import { answers } from './schemas.ts'
import type { App } from './typed-app.ts'

const Ok = Type.Object({ ok: Type.Boolean() })

/** Alive, and ready: for whatever starts, watches and balances the processes. */
export function registerHealthRoutes(
  app: App,
  database: Kysely<Tables>,
  /** @throws ApiError SERVICE_UNAVAILABLE */
  assertKeysDecryptable: () => Promise<void>,
): void {
  for (const url of ['/api/auth/ok', '/healthz']) {
    app.get(
      url,
      {
        config: { access: 'public', rateLimit: 'none', impersonated: 'allowed' },
        schema: { summary: 'Whether the process is alive', response: answers(Ok) },
      },
      async () => ({ ok: true }),
    )
  }

  app.get(
    '/readyz',
    {
      config: { access: 'public', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: 'Whether the database answers and is migrated, and SECRET decrypts the key that signs tokens',
        response: answers(Ok),
      },
    },
    async () => {
      await sql`select 1`.execute(database)
      if (!(await isMigrated(database)))
        throw new ApiError('SERVICE_UNAVAILABLE', { message: 'The database is not migrated.' })
      await assertKeysDecryptable()
      return { ok: true }
    },
  )
}
