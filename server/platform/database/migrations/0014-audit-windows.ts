import type { Kysely } from 'kysely'

/** Audit events that stand for many occurrences, and the start of a chain whose oldest events were purged. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('auditEvents').addColumn('openUntil', 'bigint').execute()
  await schema
    .createTable('auditStart')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('mac', 'text', (column) => column.notNull())
    .execute()
}
