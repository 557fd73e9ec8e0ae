import { sql } from 'kysely'
import type { OnlineSteps } from '../online-steps.ts'

export const kind = 'expand'

/** A sign-in that failed asks whether a user has an imported hash. */
export function online({ createIndex }: OnlineSteps): Promise<void> {
  return createIndex('accounts_passwordScheme', sql`on accounts (substr("passwordHash", 1, 8))`)
}
