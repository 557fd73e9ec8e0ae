import { type Kysely, sql } from 'kysely'

export const kind = 'expand'

/** The state of a copy into this database, and the credentials that a restore has disabled. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('copyState')
    .addColumn('id', 'integer', (column) => column.primaryKey().check(sql`id = 1`))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('step', 'text')
    .addColumn('lastKey', 'text')
    .execute()
  await schema
    .createTable('unconfirmedCredentials')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('disabledAt', 'bigint', (column) => column.notNull())
    .execute()
}
