import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** OpenID Connect: clients, consents, sessions at clients, grants, codes and tokens, back-channel log-outs, ES256 keys. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database
  const isPostgres = database.getExecutor().adapter instanceof PostgresAdapter

  for (const column of ['publicEcJwk', 'encryptedPrivateEcJwk'])
    await schema.alterTable('signingKeys').addColumn(column, 'text').execute()

  await schema
    .createTable('oauthClients')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organizationId', 'text', (column) => column.references('organizations.id').onDelete('cascade'))
    .addColumn('secretHash', 'text')
    .addColumn('name', 'text', (column) => column.notNull())
    // The metadata of RFC 7591 under its own names, as JSON.
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('backchannelLogoutUri', 'text')
    .addColumn('skipConsent', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('disabled', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('createdBy', 'text')
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('updatedAt', 'bigint', (column) => column.notNull())
    .execute()
  await schema.createIndex('oauthClients_organizationId').on('oauthClients').column('organizationId').execute()

  await schema
    .createTable('oauthConsents')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('userId', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('clientId', 'text', (column) => column.notNull().references('oauthClients.id').onDelete('cascade'))
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('updatedAt', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('oauthConsents_userId_clientId', ['userId', 'clientId'])
    .execute()
  await schema.createIndex('oauthConsents_clientId').on('oauthConsents').column('clientId').execute()

  await schema
    .createTable('clientSessions')
    .addColumn('sid', 'text', (column) => column.primaryKey())
    .addColumn('sessionId', 'text', (column) => column.notNull().references('sessions.id').onDelete('cascade'))
    .addColumn('clientId', 'text', (column) => column.notNull().references('oauthClients.id').onDelete('cascade'))
    .addColumn('userId', 'text', (column) => column.notNull())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('lastUsedAt', 'bigint', (column) => column.notNull())
    .execute()
  for (const column of ['sessionId', 'clientId', 'userId'])
    await schema.createIndex(`clientSessions_${column}`).on('clientSessions').column(column).execute()

  await schema
    .createTable('oauthGrants')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('sid', 'text', (column) => column.notNull().references('clientSessions.sid').onDelete('cascade'))
    .addColumn('clientId', 'text', (column) => column.notNull())
    .addColumn('userId', 'text', (column) => column.notNull())
    .addColumn('organizationId', 'text')
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('resources', 'text', (column) => column.notNull())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('expiresAt', 'bigint', (column) => column.notNull())
    .execute()
  for (const columns of [['sid'], ['userId', 'organizationId'], ['expiresAt']])
    await schema
      .createIndex(`oauthGrants_${columns.join('_')}`)
      .on('oauthGrants')
      .columns(columns)
      .execute()

  await schema
    .createTable('oauthArtifacts')
    .addColumn('idHash', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('grantId', 'text', (column) => column.references('oauthGrants.id').onDelete('cascade'))
    .addColumn('clientId', 'text', (column) => column.references('oauthClients.id').onDelete('cascade'))
    // The refresh token that a refresh has replaced by this one.
    .addColumn('predecessorHash', 'text')
    .addColumn('userCodeHash', 'text', (column) => column.unique())
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('expiresAt', 'bigint', (column) => column.notNull())
    .addColumn('consumedAt', 'bigint')
    .addColumn('polledAt', 'bigint')
    .addColumn('answeredAt', 'bigint')
    .execute()
  for (const column of ['grantId', 'clientId', 'predecessorHash', 'expiresAt'])
    await schema.createIndex(`oauthArtifacts_${column}`).on('oauthArtifacts').column(column).execute()

  await schema
    .createTable('oauthLogouts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('sid', 'text', (column) => column.notNull())
    // No foreign key: its check would lock the client, and a sign-out could deadlock with the deletion of the client.
    .addColumn('clientId', 'text', (column) => column.notNull())
    .addColumn('userId', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('firstAttemptAt', 'bigint')
    .addColumn('nextAttemptAt', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('leasedUntil', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('lastError', 'text')
    .addColumn('settledAt', 'bigint')
    .execute()
  await schema.createIndex('oauthLogouts_settledAt').on('oauthLogouts').column('settledAt').execute()
  // The client first, because each client has a queue of its own.
  await sql`create index "oauthLogouts_due" on "oauthLogouts" ("clientId", "nextAttemptAt") where "settledAt" is null`.execute(
    database,
  )
  await sql`create unique index "oauthLogouts_sid" on "oauthLogouts" (sid) where "settledAt" is null`.execute(database)

  // Triggers, because sessions end in many ways, cascades among them, and each must reach the clients.
  const id = isPostgres ? sql`gen_random_uuid()::text` : sql`lower(hex(randomblob(16)))`
  const enqueue = sql`
    insert into "oauthLogouts" (id, sid, "clientId", "userId")
    select ${id}, old.sid, old."clientId", old."userId"
    from "oauthClients" where id = old."clientId" and "backchannelLogoutUri" is not null
    on conflict do nothing;`
  const endOfMember = sql`
    delete from "clientSessions" where sid in (
      select sid from "oauthGrants" where "userId" = old."userId" and "organizationId" = old."organizationId"
    );`
  await onDelete('clientSessions', 'clientSessions_enqueueLogout', enqueue)
  await onDelete('members', 'members_endClientSessions', endOfMember)

  async function onDelete(table: string, name: string, statement: typeof enqueue): Promise<void> {
    if (!isPostgres) {
      await sql`create trigger ${sql.ref(name)} after delete on ${sql.ref(table)} begin ${statement} end`.execute(
        database,
      )
      return
    }
    await sql`create function ${sql.ref(name)}() returns trigger language plpgsql as
      $$ begin ${statement} return null; end $$`.execute(database)
    await sql`create trigger ${sql.ref(name)} after delete on ${sql.ref(table)}
      for each row execute function ${sql.ref(name)}()`.execute(database)
  }
}
