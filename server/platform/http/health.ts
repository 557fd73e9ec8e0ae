import type { FastifyReply } from 'fastify'
import type { Kysely } from 'kysely'
import { type Static, Type } from 'typebox'
import { shareWork } from '../background/share-work.ts'
import { hasCopyState } from '../database/copy/copy-state.ts'
import { readMigrationState } from '../database/migrate.ts'
import type { Tables } from '../database/tables.ts'
import { ApiError } from './errors.ts'
import type { HttpApp } from './http-app.ts'
import { responses } from './schemas.ts'

const Ok = Type.Object({ ok: Type.Boolean() })

const UNFIT_DATABASE = {
  behind: 'The database is not migrated.',
  'too new': 'The database was migrated by a later version, with which this one does not work.',
}

const UNFINISHED_COPY = 'The database is the unfinished target of a move or a restore.'

export function registerHealthRoutes(
  app: HttpApp,
  database: Kysely<Tables>,
  testWrite: () => Promise<void>,
  assertKeysDecryptable: () => Promise<void>,
): void {
  const testWriteSometimes = atMostOnceASecond(testWrite)
  const assertReady = shareWork(async () => {
    const state = await readMigrationState(database)
    if (state !== 'current') throw new ApiError('SERVICE_UNAVAILABLE', { message: UNFIT_DATABASE[state] })
    // The database of a running process may be dropped, created again, and filled by a move or a restore.
    if (await hasCopyState(database)) throw new ApiError('SERVICE_UNAVAILABLE', { message: UNFINISHED_COPY })
    await assertKeysDecryptable()
    await testWriteSometimes()
  })

  for (const url of ['/api/auth/ok', '/healthz']) {
    app.get(
      url,
      {
        config: { access: 'public', rateLimit: 'none', impersonated: 'allowed' },
        schema: { summary: 'Whether the process is alive', response: responses(Ok) },
      },
      async (_request, reply) => answerOk(reply),
    )
  }

  app.get(
    '/readyz',
    {
      config: { access: 'public', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary:
          'Whether the database is migrated, can be read and written and is no unfinished copy, and SECRET decrypts the key that signs tokens',
        response: responses(Ok),
      },
    },
    async (_request, reply) => {
      await assertReady()
      return answerOk(reply)
    },
  )
}

/** Without cache-control, a cache could repeat the response of a process that has ended. */
function answerOk(reply: FastifyReply): Static<typeof Ok> {
  reply.header('cache-control', 'no-store')
  return { ok: true }
}

/** The route is public, so a flood of requests must cost at most one write a second. */
function atMostOnceASecond(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> | undefined
  let startedAt = 0
  return () => {
    if (last && performance.now() - startedAt < 1_000) return last
    startedAt = performance.now()
    last = work()
    return last
  }
}
