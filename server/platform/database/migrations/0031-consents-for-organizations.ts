import type { Kysely } from 'kysely'

export const kind = 'expand'

/** The organizations for which a user allowed an app the scope `organization`. Who allowed it before is asked once more. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .alterTable('oauthConsents')
    .addColumn('organizationIds', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
}
