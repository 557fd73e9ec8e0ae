import type { Kysely } from 'kysely'
import { readClockDifference } from '../../platform/database/clock-difference.ts'
import { deleteSome } from '../../platform/database/delete-some.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { latestEnd } from '../../platform/time/is-live.ts'
import { DAY_MILLISECONDS } from '../../platform/time/time-units.ts'
import { SESSION_IDLE_MILLISECONDS } from './lifetimes.ts'

/** Sessions that a clock that was far ahead has started. */
function selectSessionsAhead(database: Kysely<Tables>, now: number) {
  return database.selectFrom('sessions').select('id').where('expiresAt', '>', latestEnd(SESSION_IDLE_MILLISECONDS, now))
}

/**
 * The idle time of a session of a clock that was far ahead begins now. Its first extension, a day later, corrects the
 * other times. This shortens no session: by a clock that is behind, every session is one of these.
 * @returns the number of corrected sessions
 */
export async function correctSessionsAhead(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  // A process that is behind PostgreSQL would write every session in each run.
  if ((await readClockDifference(database, () => now)) < -DAY_MILLISECONDS) return 0
  const uncorrected = selectSessionsAhead(database, now).where('updatedAt', '>', now)
  const { numUpdatedRows } = await database
    .updateTable('sessions')
    .set({ updatedAt: now, lastUsedAt: null })
    .where('id', 'in', uncorrected.limit(limit).forUpdate().skipLocked())
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Deletes the corrected sessions that were not extended for 7 days. @returns the number of deleted sessions */
export function deleteIdleSessionsAhead(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const idle = selectSessionsAhead(database, now).where('updatedAt', '<=', now - SESSION_IDLE_MILLISECONDS)
  return deleteSome(database, 'sessions', 'id', idle, limit)
}
