import type { Kysely } from 'kysely'
import { findLatestEventTime } from '../../core/audit/latest-event-time.ts'
import type { SigningKeyRow, Tables } from '../../platform/database/tables.ts'
import { TOKEN_LIFETIME_SECONDS } from './mint-token.ts'
import { insertKey, retireOlderKeys } from './store.ts'

/** Verifiers may keep the published keys for so long. */
export const KEYS_MAX_AGE_SECONDS = 300
/** A new key is published for so long before it signs: every verifier has asked again by then, with time to spare. */
export const PUBLISHED_BEFORE_SIGNING_MILLISECONDS = 2 * KEYS_MAX_AGE_SECONDS * 1000
/** The last token of the old key, and what clocks may differ by. */
const PUBLISHED_AFTER_SIGNING_MILLISECONDS = (TOKEN_LIFETIME_SECONDS + 60) * 1000
/** Audit events that are further ahead than this tell of a clock that was wrong then, not of one that is wrong now. */
const SET_BACK_MAXIMUM_MILLISECONDS = 24 * 3_600_000

/**
 * Publishes a new key, and ends the publication of the others when their last token has expired.
 * @returns false where another process has made this generation
 */
export async function publishKey(transaction: Kysely<Tables>, now: number, key: SigningKeyRow): Promise<boolean> {
  if (!(await insertKey(transaction, key))) return false
  const signedUntil = Math.max(key.activeAt, await latestTime(transaction, now))
  const retiresAt = signedUntil + PUBLISHED_AFTER_SIGNING_MILLISECONDS
  await retireOlderKeys(transaction, { generation: key.generation, now, retiresAt })
  return true
}

/** While the clock is set back, tokens of before are in use for longer than it says. */
async function latestTime(transaction: Kysely<Tables>, now: number): Promise<number> {
  const latest = (await findLatestEventTime(transaction)) ?? now
  return latest - now > SET_BACK_MAXIMUM_MILLISECONDS ? now : latest
}
