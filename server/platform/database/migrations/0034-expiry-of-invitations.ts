import { sql } from 'kysely'
import type { OnlineSteps } from '../online-steps.ts'

export const kind = 'expand'

/** For the purge of old invitations. */
export async function online({ createIndex }: OnlineSteps): Promise<void> {
  await createIndex('invitations_expiresAt', sql`on invitations ("expiresAt")`)
}
