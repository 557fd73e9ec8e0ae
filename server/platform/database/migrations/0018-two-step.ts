import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** Two-step verification: second steps, recovery codes, trusted devices, policy, and how each session was signed in. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database
  await addFlag('users', 'twoFactorEnabled')
  // For list-users, as the other columns have since 0004.
  const order = database.getExecutor().adapter instanceof PostgresAdapter ? sql`nulls first, id collate "C"` : sql`, id`
  await sql`create index "users_twoFactorEnabled" on users ("twoFactorEnabled" ${order})`.execute(database)
  await addFlag('organizations', 'requireTwoFactor')
  // Sessions from before this migration count as signed in with a password: the weaker claim.
  await schema
    .alterTable('sessions')
    .addColumn('authenticationMethods', 'text', (column) => column.notNull().defaultTo('pwd'))
    .execute()
  await schema
    .createTable('secondSteps')
    .addColumn('userId', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('method', 'text', (column) => column.notNull())
    .addColumn('encryptedSecret', 'text')
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('verifiedAt', 'bigint')
    .addColumn('usedStep', 'bigint')
    .addColumn('codeMac', 'text')
    .addColumn('codeExpiresAt', 'bigint')
    .addColumn('codeFailures', 'integer', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('secondSteps_key', ['userId', 'method'])
    .execute()
  await schema
    .createTable('recoveryCodes')
    .addColumn('codeHash', 'text', (column) => column.primaryKey())
    .addColumn('userId', 'text', (column) => column.notNull())
    .addColumn('method', 'text', (column) => column.notNull())
    .addForeignKeyConstraint(
      'recoveryCodes_secondStep',
      ['userId', 'method'],
      'secondSteps',
      ['userId', 'method'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
  await schema.createIndex('recoveryCodes_secondStep_index').on('recoveryCodes').columns(['userId', 'method']).execute()
  await schema
    .createTable('secondStepFailures')
    .addColumn('userId', 'text', (column) => column.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('count', 'integer', (column) => column.notNull())
    .addColumn('expiresAt', 'bigint', (column) => column.notNull())
    .execute()
  await schema
    .createTable('trustedDevices')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('userId', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('tokenHash', 'text', (column) => column.notNull().unique())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('expiresAt', 'bigint', (column) => column.notNull())
    .addColumn('lastUsedAt', 'bigint')
    .addColumn('ipAddress', 'text')
    .addColumn('userAgent', 'text')
    .execute()
  for (const column of ['userId', 'expiresAt'])
    await schema.createIndex(`trustedDevices_${column}`).on('trustedDevices').column(column).execute()

  async function addFlag(table: string, flag: string): Promise<void> {
    await schema
      .alterTable(table)
      .addColumn(flag, 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
  }
}
