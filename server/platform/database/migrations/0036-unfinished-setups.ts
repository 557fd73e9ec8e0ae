import { sql } from 'kysely'
import type { OnlineSteps } from '../online-steps.ts'

export const kind = 'expand'

/** For the purge of setups that were not finished. */
export async function online({ createIndex }: OnlineSteps): Promise<void> {
  await createIndex('secondSteps_unfinished', sql`on "secondSteps" ("createdAt") where "verifiedAt" is null`)
}
