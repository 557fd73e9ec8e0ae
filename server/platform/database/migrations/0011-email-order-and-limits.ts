import { type Kysely, sql } from 'kysely'

/** The order in which emails leave, and what the limits on emails count. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database

  await schema
    .alterTable('outbox')
    .addColumn('priority', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await schema.alterTable('outbox').addColumn('organizationId', 'text').execute()
  await sql`update outbox set priority = 1, "organizationId" =
    (select "organizationId" from invitations where invitations.id = outbox."subjectId") where kind = 'invitation'`.execute(
    database,
  )

  await schema.dropIndex('outbox_waiting').execute()
  await schema
    .createIndex('outbox_waiting')
    .on('outbox')
    .columns(['priority', 'nextAttemptAt'])
    .where('sentAt' as never, 'is', null)
    .where('failedAt' as never, 'is', null)
    .execute()
  await schema
    .createIndex('outbox_failedAt')
    .on('outbox')
    .column('failedAt')
    .where('failedAt' as never, 'is not', null)
    .execute()
  await schema
    .createIndex('outbox_recipient_kind_createdAt')
    .on('outbox')
    .columns(['recipient', 'kind', 'createdAt'])
    .execute()
  await schema
    .createIndex('outbox_organizationId_createdAt')
    .on('outbox')
    .columns(['organizationId', 'createdAt'])
    .execute()

  await schema
    .createTable('emailLimits')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('usedAt', 'bigint', (column) => column.notNull())
    .execute()
  await schema.createIndex('emailLimits_usedAt').on('emailLimits').column('usedAt').execute()
}
