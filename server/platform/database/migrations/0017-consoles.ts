import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** Last uses, rotations of API keys, counters for the statistics of staff, and indexes for the pages that search invitations and audit events. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database
  for (const table of ['sessions', 'members', 'passkeys']) {
    await schema.alterTable(table).addColumn('lastUsedAt', 'bigint').execute()
  }
  await schema.alterTable('apiKeys').addColumn('rotatedAt', 'bigint').execute()
  // Without row ids, SQLite stores the counters in the order in which they are summed up.
  const isPostgres = database.getExecutor().adapter instanceof PostgresAdapter
  await schema
    .createTable('statistics')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hour', 'bigint', (column) => column.notNull())
    .addColumn('detail', 'text', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('statistics_key', ['name', 'hour', 'detail'])
    .$call((table) => (isPostgres ? table : table.modifyEnd(sql`without rowid`)))
    .execute()
  await schema.createIndex('statistics_hour').on('statistics').column('hour').execute()
  await schema.createIndex('invitations_createdAt').on('invitations').columns(['createdAt', 'id']).execute()
  await schema.createIndex('auditEvents_requestId').on('auditEvents').column('requestId').execute()
  await addEmailIndexes(database)
}

/** For the lists of emails, newest first: of a kind, and of the few that are not sent. */
async function addEmailIndexes(database: Kysely<unknown>): Promise<void> {
  await sql`create index "outbox_kind_createdAt" on outbox (kind, "createdAt", id)`.execute(database)
  await sql`create index "outbox_unsent_createdAt" on outbox ("createdAt", id)
    where "sentAt" is null and "failedAt" is null`.execute(database)
  await sql`create index "outbox_failed_createdAt" on outbox ("createdAt", id)
    where "failedAt" is not null and recipient <> ''`.execute(database)
}
