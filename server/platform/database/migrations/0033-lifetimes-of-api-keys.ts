import type { Kysely } from 'kysely'

export const kind = 'expand'

/**
 * Milliseconds from the setting of the expiry to it. Older API keys have none: theirs counts from
 * the creation. A process of an older release, beside this one, changes the expiry alone.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('apiKeys').addColumn('lifetime', 'bigint').execute()
}
