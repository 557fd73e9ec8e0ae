import type { Kysely } from 'kysely'

/** The timeline of invitations, the API keys of organizations, and members by age. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database

  await schema.alterTable('outbox').addColumn('subjectId', 'text').execute()
  await schema.alterTable('outbox').addColumn('lastAttemptAt', 'bigint').execute()
  await schema.createIndex('outbox_subjectId').on('outbox').column('subjectId').execute()

  await schema
    .createTable('invitationEvents')
    .addColumn('invitationId', 'text', (column) => column.notNull().references('invitations.id').onDelete('cascade'))
    .addColumn('event', 'text', (column) => column.notNull())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('invitationEvents_invitationId_event', ['invitationId', 'event'])
    .execute()
  await schema
    .createIndex('invitations_organizationId_createdAt')
    .on('invitations')
    .columns(['organizationId', 'createdAt', 'id'])
    .execute()

  await schema
    .createTable('apiKeys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organizationId', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('keyHash', 'text', (column) => column.notNull().unique())
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('expiresAt', 'bigint')
    .addColumn('lastUsedAt', 'bigint')
    .addColumn('createdBy', 'text', (column) => column.notNull())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('updatedAt', 'bigint', (column) => column.notNull())
    .execute()
  await schema.createIndex('apiKeys_organizationId').on('apiKeys').columns(['organizationId', 'createdAt']).execute()

  await schema
    .createIndex('members_organizationId_createdAt')
    .on('members')
    .columns(['organizationId', 'createdAt', 'id'])
    .execute()
}
