import type { Kysely } from 'kysely'
import { findLatestEventTime } from '../../core/audit/latest-event-time.ts'
import type { SigningKeyRow, Tables } from '../../platform/database/tables.ts'
import { DAY_MILLISECONDS } from '../../platform/time/time-units.ts'
import { TOKEN_LIFETIME_SECONDS } from './mint-token.ts'
import { insertKey, lockKeysForUpdate, retireOlderKeys } from './store.ts'

/** Services may cache the published keys for this time. */
export const KEYS_MAX_AGE_SECONDS = 300
/** A new key is published for this time before it signs, so that every service has fetched it. */
export const PUBLISHED_BEFORE_SIGNING_MILLISECONDS = 2 * KEYS_MAX_AGE_SECONDS * 1000
/** The lifetime of a token after the last signature, plus the difference between clocks. */
const PUBLISHED_AFTER_SIGNING_MILLISECONDS = (TOKEN_LIFETIME_SECONDS + 60) * 1000
/** If the newest audit event is further ahead, the clock was ahead at that time. Otherwise it is behind now. */
const SET_BACK_MAXIMUM_MILLISECONDS = DAY_MILLISECONDS

/** @returns false when another process has created this generation */
export async function publishKey(transaction: Kysely<Tables>, now: number, key: SigningKeyRow): Promise<boolean> {
  // A withdrawal locks the keys before it inserts its own, so the other order would cause a deadlock.
  await lockKeysForUpdate(transaction)
  if (!(await insertKey(transaction, key))) return false
  const signedUntil = Math.max(key.activeAt, await latestTime(transaction, now))
  const retiresAt = signedUntil + PUBLISHED_AFTER_SIGNING_MILLISECONDS
  await retireOlderKeys(transaction, { generation: key.generation, now, retiresAt })
  return true
}

/** If the clock was set back, earlier tokens expire later than the clock suggests. */
async function latestTime(transaction: Kysely<Tables>, now: number): Promise<number> {
  const latest = (await findLatestEventTime(transaction)) ?? now
  return latest - now > SET_BACK_MAXIMUM_MILLISECONDS ? now : latest
}
