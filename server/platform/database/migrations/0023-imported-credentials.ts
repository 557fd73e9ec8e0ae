import type { Kysely } from 'kysely'

export const kind = 'expand'

/** What the credentials of an imported user need: see docs/import.md. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .alterTable('passkeys')
    .addColumn('isImported', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await schema.alterTable('apiKeys').addColumn('start', 'text').execute()
  await schema.alterTable('apiKeys').addColumn('prefix', 'text').execute()
}
