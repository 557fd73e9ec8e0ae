import type { Kysely } from 'kysely'

export const kind = 'expand'

/** When the session of a grant was signed in at the grant. Processes of an earlier release write none. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('oauthGrants').addColumn('signedInAt', 'bigint').execute()
}
