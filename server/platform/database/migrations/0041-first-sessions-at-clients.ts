import type { Kysely } from 'kysely'

export const kind = 'expand'

/** The session in which a session at a client began. Processes of an earlier release write none. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('clientSessions').addColumn('firstSessionId', 'text').execute()
}
