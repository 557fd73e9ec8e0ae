import type { Kysely } from 'kysely'

/** Counters that know of guesses under way, and the browsers and networks that a user has signed in from. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  // Counters live for minutes, so those of the earlier form are not carried over.
  await schema.dropTable('rateLimits').execute()
  await schema
    .createTable('rateLimits')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('used', 'integer', (column) => column.notNull())
    .addColumn('reserved', 'integer', (column) => column.notNull())
    .addColumn('reservedUntil', 'bigint', (column) => column.notNull())
    .addColumn('expiresAt', 'bigint', (column) => column.notNull())
    .execute()
  await schema.createIndex('rateLimits_expiresAt').on('rateLimits').column('expiresAt').execute()

  await schema
    .createTable('knownDevices')
    .addColumn('userId', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('device', 'text', (column) => column.notNull())
    .addColumn('isBrowser', 'integer', (column) => column.notNull())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('expiresAt', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('knownDevices_primaryKey', ['userId', 'device'])
    .execute()
  await schema.createIndex('knownDevices_device').on('knownDevices').column('device').execute()
  await schema.createIndex('knownDevices_expiresAt').on('knownDevices').column('expiresAt').execute()
}
