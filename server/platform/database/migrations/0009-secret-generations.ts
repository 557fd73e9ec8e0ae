import type { Kysely } from 'kysely'

/** Which SECRET the database is made with, and signing keys that were withdrawn. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('secretGenerations')
    .addColumn('generation', 'integer', (column) => column.primaryKey())
    .addColumn('secretId', 'text', (column) => column.notNull())
    .addColumn('retiredKeys', 'text')
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .execute()
  await schema.alterTable('signingKeys').addColumn('withdrawnAt', 'bigint').execute()
}
