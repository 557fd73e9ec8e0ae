import { type Kysely, sql } from 'kysely'
import { deleteSome } from '../database/delete-some.ts'
import type { StatisticRow, Tables } from '../database/tables.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../time/time-units.ts'

const RETENTION_MILLISECONDS = 400 * DAY_MILLISECONDS

/** The counted events. The comment of each names its details. */
export type StatisticName =
  /** By method: password or passkey. */
  | 'sign-in'
  /** By reason. */
  | 'sign-in-failed'
  /** By origin: invitation, staff, setup, command line or import. */
  | 'user-created'
  | 'invitation-created'
  | 'invitation-accepted'
  | 'ban'
  | 'unban'
  | 'email-sent'
  | 'email-failed'
  /** By the longest delay in seconds of each group. */
  | 'email-delay'
  | 'token'
  /** By organization and day: hours of thousands of organizations would be too many rows. */
  | 'token-organization'

export interface Count extends StatisticRow {
  name: StatisticName
}

export function hourOf(time: number): number {
  return time - (time % HOUR_MILLISECONDS)
}

export function dayOf(time: number): number {
  return time - (time % DAY_MILLISECONDS)
}

/** Adds to the counters in one statement and in one order, so that concurrent transactions can't deadlock. */
export async function addCounts(database: Kysely<Tables>, counts: Count[]): Promise<void> {
  if (counts.length === 0) return
  const sums = new Map<string, Count>()
  for (const count of counts) {
    const key = JSON.stringify([count.name, count.hour, count.detail])
    sums.set(key, { ...count, count: count.count + (sums.get(key)?.count ?? 0) })
  }
  const inOrder = [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count)
  await database
    .insertInto('statistics')
    .values(inOrder)
    .onConflict((conflict) =>
      conflict
        .columns(['name', 'hour', 'detail'])
        .doUpdateSet({ count: sql`statistics."count" + excluded."count"` as never }),
    )
    .execute()
}

export function deleteOldStatistics(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const old = database
    .selectFrom('statistics')
    .select(['name', 'hour', 'detail'])
    .where('hour', '<=', now - RETENTION_MILLISECONDS)
  return deleteSome(database, 'statistics', ['name', 'hour', 'detail'], old, limit)
}
