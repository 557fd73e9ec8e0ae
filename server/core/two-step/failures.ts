import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'
import { isLive } from '../../platform/time/is-live.ts'
import { MINUTE_MILLISECONDS } from '../../platform/time/time-units.ts'
import { findFailures, saveFailures } from './store.ts'

/** Ten tries at three codes of a million each: guessing takes months, and the user gets an email. */
const FAILURES_MAXIMUM = 10
const WINDOW_MILLISECONDS = 15 * MINUTE_MILLISECONDS

/** @returns the end of the lock (epoch milliseconds); undefined when the second step is not locked */
export async function findLockEnd(database: Kysely<Tables>, userId: string, now: number): Promise<number | undefined> {
  const failures = await findFailures(database, userId)
  if (!failures || failures.count < FAILURES_MAXIMUM || !isLive(failures.expiresAt, WINDOW_MILLISECONDS, now))
    return undefined
  return failures.expiresAt
}

/** Counts a wrong code. The transaction has locked the user. @returns whether the second step is now locked */
export async function countFailure(transaction: Kysely<Tables>, userId: string, now: number): Promise<boolean> {
  const found = await findFailures(transaction, userId)
  const current = found && isLive(found.expiresAt, WINDOW_MILLISECONDS, now) ? found : undefined
  const count = (current?.count ?? 0) + 1
  const isLocked = count >= FAILURES_MAXIMUM
  const expiresAt = current && !isLocked ? current.expiresAt : now + WINDOW_MILLISECONDS
  await saveFailures(transaction, { userId, count, expiresAt })
  return isLocked
}
