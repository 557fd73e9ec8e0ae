import { type Kysely, sql } from 'kysely'

/** Custom properties of users, metadata of API keys; and ids of linked accounts that do not look like API keys. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database
  await schema
    .alterTable('users')
    .addColumn('properties', 'text', (column) => column.notNull().defaultTo('{}'))
    .execute()
  await schema.alterTable('apiKeys').addColumn('metadata', 'text').execute()
  await schema.createIndex('apiKeys_createdBy').on('apiKeys').column('createdBy').execute()
  // API keys begin with `acc_` too: a secret scanner must not take an id for one.
  await sql`update accounts set id = 'lac_' || substr(id, 5) where substr(id, 1, 4) = 'acc_'`.execute(database)
}
