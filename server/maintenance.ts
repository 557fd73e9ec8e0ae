import type { Kysely } from 'kysely'
import { deleteExpiredCounters } from './core/access/shared-counters.ts'
import { purgeEvents } from './core/audit/purge-events.ts'
import type { Context } from './core/context.ts'
import { deleteExpiredDevices } from './core/devices/store.ts'
import { deleteExpiredSessions } from './core/sessions/store.ts'
import { deleteExpiredTokens } from './core/single-use-tokens/single-use-tokens.ts'
import { type PeriodicWork, runPeriodically } from './platform/background/run-periodically.ts'
import type { Tables } from './platform/database/tables.ts'
import { deleteUnusedLimits } from './platform/mail/email-limits.ts'
import { deleteDiscardedEmails, deleteFailedTexts, deleteFinishedEmails } from './platform/mail/sent-emails.ts'

const PAUSE_MILLISECONDS = 10 * 60_000
/** So that no request waits long for SQLite's one writer. */
const ROWS_AT_ONCE = 100

/** @returns how many rows were deleted; as many as `limit` means that there may be more */
type Step = (database: Kysely<Tables>, now: number, limit: number) => Promise<number>
const STEPS: Step[] = [
  deleteExpiredSessions,
  deleteExpiredTokens,
  deleteFinishedEmails,
  deleteDiscardedEmails,
  deleteFailedTexts,
  deleteUnusedLimits,
  deleteExpiredCounters,
  deleteExpiredDevices,
]

/** Any number of processes may do this at once, each with rows of its own. */
export function createMaintenance(context: Context): PeriodicWork {
  return runPeriodically(context, PAUSE_MILLISECONDS, 'housekeeping failed', () => maintain(context))
}

/** What nobody can use any more goes: it names people, addresses and browsers. */
export async function deleteExpired({ database, now }: Context): Promise<void> {
  for (const step of STEPS) while ((await step(database, now(), ROWS_AT_ONCE)) === ROWS_AT_ONCE) {}
}

async function maintain(context: Context): Promise<void> {
  await deleteExpired(context)
  await purgeEvents(context)
}
