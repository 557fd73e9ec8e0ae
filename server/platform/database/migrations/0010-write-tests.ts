import { type Kysely, sql } from 'kysely'

/** The row that readiness checks write on PostgreSQL; SQLite is tested without one. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('writeTests')
    .addColumn('id', 'integer', (column) => column.primaryKey().check(sql`id = 1`))
    .addColumn('count', 'integer', (column) => column.notNull())
    .execute()
}
