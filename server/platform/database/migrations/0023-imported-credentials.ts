import { type Kysely, sql } from 'kysely'

/** What the credentials of an imported user need: see docs/import.md. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database
  // A sign-in that failed asks whether a user has an imported hash.
  await sql`create index "accounts_passwordScheme" on accounts (substr("passwordHash", 1, 8))`.execute(database)
  await schema
    .alterTable('passkeys')
    .addColumn('isImported', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await schema.alterTable('apiKeys').addColumn('start', 'text').execute()
  await schema.alterTable('apiKeys').addColumn('prefix', 'text').execute()
}
