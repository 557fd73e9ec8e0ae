import type { Kysely } from 'kysely'
import type { SecondStepFailuresRow, Tables } from '../../platform/database/tables.ts'
import { isLive } from '../../platform/time/is-live.ts'
import { DAY_MILLISECONDS, MINUTE_MILLISECONDS } from '../../platform/time/time-units.ts'
import { findFailures, saveFailures } from './store.ts'

/**
 * With ten codes in 15 minutes, an attacker needs eight months for an even chance, and each lock sends an email. With
 * nine codes a day, no lock happens, and the same chance takes decades.
 */
const FAILURES_MAXIMUM = 10
/** A day after the first failure, so that slow guesses lock the second step, too. */
const COUNT_MILLISECONDS = DAY_MILLISECONDS
const LOCK_MILLISECONDS = 15 * MINUTE_MILLISECONDS

/** @returns the end of the lock (epoch milliseconds); undefined when the second step is not locked */
export async function findLockEnd(database: Kysely<Tables>, userId: string, now: number): Promise<number | undefined> {
  const failures = await findFailures(database, userId)
  return failures && isLock(failures) && isCurrent(failures, now) ? failures.expiresAt : undefined
}

/** Counts a wrong code. The transaction has locked the user. @returns whether the second step is now locked */
export async function countFailure(transaction: Kysely<Tables>, userId: string, now: number): Promise<boolean> {
  const found = await findFailures(transaction, userId)
  const current = found && isCurrent(found, now) ? found : undefined
  const counted = {
    userId,
    count: (current?.count ?? 0) + 1,
    expiresAt: current?.expiresAt ?? now + COUNT_MILLISECONDS,
  }
  const isLocked = isLock(counted)
  await saveFailures(transaction, isLocked ? { ...counted, expiresAt: now + LOCK_MILLISECONDS } : counted)
  return isLocked
}

function isLock({ count }: SecondStepFailuresRow): boolean {
  return count >= FAILURES_MAXIMUM
}

function isCurrent(failures: SecondStepFailuresRow, now: number): boolean {
  return isLive(failures.expiresAt, isLock(failures) ? LOCK_MILLISECONDS : COUNT_MILLISECONDS, now)
}
