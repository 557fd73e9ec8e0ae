import type { Kysely } from 'kysely'

/** Users, their credentials, organizations, invitations, emails, signing keys and the audit log. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database

  await schema
    .createTable('users')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull().unique())
    .addColumn('emailVerified', 'integer', (column) => column.notNull())
    .addColumn('image', 'text')
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('banned', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('banReason', 'text')
    .addColumn('banExpires', 'bigint')
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('updatedAt', 'bigint', (column) => column.notNull())
    .execute()

  await schema
    .createTable('accounts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('userId', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('providerId', 'text', (column) => column.notNull())
    .addColumn('accountId', 'text', (column) => column.notNull())
    .addColumn('passwordHash', 'text')
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('updatedAt', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('accounts_userId_providerId', ['userId', 'providerId'])
    .execute()

  await schema
    .createTable('organizations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('slug', 'text', (column) => column.notNull().unique())
    .addColumn('logo', 'text')
    .addColumn('metadata', 'text')
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .execute()

  await schema
    .createTable('sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('userId', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('tokenHash', 'text', (column) => column.notNull().unique())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('updatedAt', 'bigint', (column) => column.notNull())
    .addColumn('expiresAt', 'bigint', (column) => column.notNull())
    .addColumn('authenticatedAt', 'bigint', (column) => column.notNull())
    .addColumn('rememberMe', 'integer', (column) => column.notNull())
    .addColumn('ipAddress', 'text')
    .addColumn('userAgent', 'text')
    .addColumn('activeOrganizationId', 'text', (column) => column.references('organizations.id').onDelete('set null'))
    .addColumn('impersonatedBy', 'text')
    .execute()
  await schema.createIndex('sessions_userId').on('sessions').column('userId').execute()
  await schema.createIndex('sessions_activeOrganizationId').on('sessions').column('activeOrganizationId').execute()

  await schema
    .createTable('members')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('userId', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('organizationId', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('members_organizationId_userId', ['organizationId', 'userId'])
    .execute()
  await schema.createIndex('members_userId').on('members').column('userId').execute()

  await schema
    .createTable('invitations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organizationId', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    // No foreign key: the invitation outlives its inviter, to say why it is refused.
    .addColumn('inviterId', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('secretHash', 'text', (column) => column.notNull())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('expiresAt', 'bigint', (column) => column.notNull())
    .execute()
  await schema
    .createIndex('invitations_organizationId_email')
    .on('invitations')
    .columns(['organizationId', 'email'])
    .execute()
  await schema.createIndex('invitations_email').on('invitations').column('email').execute()

  await schema
    .createTable('singleUseTokens')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('tokenHash', 'text', (column) => column.notNull().unique())
    .addColumn('purpose', 'text', (column) => column.notNull())
    .addColumn('userId', 'text', (column) => column.references('users.id').onDelete('cascade'))
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('expiresAt', 'bigint', (column) => column.notNull())
    .execute()
  await schema.createIndex('singleUseTokens_userId').on('singleUseTokens').column('userId').execute()
  await schema.createIndex('singleUseTokens_expiresAt').on('singleUseTokens').column('expiresAt').execute()

  await schema
    .createTable('signingKeys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('generation', 'integer', (column) => column.notNull().unique())
    .addColumn('publicJwk', 'text', (column) => column.notNull())
    .addColumn('sealedPrivateJwk', 'text', (column) => column.notNull())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('activeAt', 'bigint', (column) => column.notNull())
    .addColumn('retiresAt', 'bigint')
    .execute()

  await schema
    .createTable('outbox')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('recipient', 'text', (column) => column.notNull())
    .addColumn('sealedLetter', 'text')
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('nextAttemptAt', 'bigint', (column) => column.notNull())
    .addColumn('leasedUntil', 'bigint')
    .addColumn('sentAt', 'bigint')
    .addColumn('failedAt', 'bigint')
    .addColumn('lastError', 'text')
    .execute()
  await schema
    .createIndex('outbox_waiting')
    .on('outbox')
    .column('nextAttemptAt')
    .where('sentAt' as never, 'is', null)
    .where('failedAt' as never, 'is', null)
    .execute()

  await schema
    .createTable('auditEvents')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('actorId', 'text')
    .addColumn('impersonatedBy', 'text')
    .addColumn('subjectId', 'text')
    .addColumn('organizationId', 'text')
    .addColumn('ipAddress', 'text')
    .addColumn('userAgent', 'text')
    .addColumn('requestId', 'text')
    .addColumn('details', 'text', (column) => column.notNull())
    .execute()

  // The library's own table of counters (rate-limiter-flexible), used when several processes share them.
  await schema
    .createTable('rateLimits')
    .addColumn('key', 'varchar(255)', (column) => column.primaryKey())
    .addColumn('points', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('expire', 'bigint')
    .execute()
}
