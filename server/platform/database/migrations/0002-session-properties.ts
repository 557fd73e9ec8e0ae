import type { Kysely } from 'kysely'

/** What update-session keeps on a session: the JSON text of an object. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable('sessions')
    .addColumn('properties', 'text', (column) => column.notNull().defaultTo('{}'))
    .execute()
}
