import type { Kysely } from 'kysely'

/** Finds what has expired without looking at everything. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.createIndex('sessions_expiresAt').on('sessions').column('expiresAt').execute()
  await schema.createIndex('outbox_createdAt').on('outbox').column('createdAt').execute()
}
