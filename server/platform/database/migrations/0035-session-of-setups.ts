import type { Kysely } from 'kysely'

export const kind = 'expand'

/** The session that set up a second step. Processes of an earlier release write none. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('secondSteps').addColumn('sessionId', 'text').execute()
}
