import type { Kysely } from 'kysely'

/** Last uses, counters for the statistics of staff, and indexes for the pages that search invitations and audit events. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  for (const table of ['sessions', 'members', 'passkeys']) {
    await schema.alterTable(table).addColumn('lastUsedAt', 'bigint').execute()
  }
  await schema
    .createTable('statistics')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hour', 'bigint', (column) => column.notNull())
    .addColumn('detail', 'text', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('statistics_key', ['name', 'hour', 'detail'])
    .execute()
  await schema.createIndex('invitations_createdAt').on('invitations').columns(['createdAt', 'id']).execute()
  await schema.createIndex('auditEvents_requestId').on('auditEvents').column('requestId').execute()
}
