import type { Kysely } from 'kysely'
import { purgeEvents } from './core/audit/purge-events.ts'
import { deleteExpiredGrants } from './core/client-sessions/grant-store.ts'
import { deleteSessionsLeftAtDisabledClients } from './core/client-sessions/store.ts'
import type { Context } from './core/context.ts'
import { deleteExpiredDevices } from './core/devices/store.ts'
import { deleteExpiredTrustedDevices } from './core/devices/trusted-store.ts'
import { deleteOldInvitations } from './core/invitations/store.ts'
import { deleteExpiredCounters } from './core/limits/shared-counters.ts'
import { deleteExpiredSessions } from './core/sessions/store.ts'
import { deleteExpiredTokens } from './core/single-use-tokens/single-use-tokens.ts'
import { deleteExpiredFailures, deleteExpiredSetups } from './core/two-step/store.ts'
import { deleteExpiredArtifacts } from './features/openid/adapters/store.ts'
import { deleteSettledLogOuts } from './features/openid/log-outs/store.ts'
import { inBatches, smallerAfterTimeout } from './platform/background/in-batches.ts'
import { type PeriodicWork, runPeriodically } from './platform/background/run-periodically.ts'
import { unlessClockIsAhead } from './platform/background/unless-clock-is-ahead.ts'
import { deleteOldRowChanges } from './platform/database/purge-row-changes.ts'
import type { Tables } from './platform/database/tables.ts'
import { deleteUnusedLimits } from './platform/mail/email-limits.ts'
import { deleteEmailsWithoutRecipient, deleteFailedTexts, deleteFinishedEmails } from './platform/mail/purge-emails.ts'
import { deleteOldStatistics } from './platform/statistics/store.ts'
import { MINUTE_MILLISECONDS } from './platform/time/time-units.ts'

const PAUSE_MILLISECONDS = 10 * MINUTE_MILLISECONDS
/** Small, because SQLite answers no request during a batch: with a million users, 100 sessions take 40 ms. */
const BATCH_SIZE = 25

/** @returns the number of deleted rows. With `limit` rows or more, there may be others. */
type Step = (database: Kysely<Tables>, now: number, limit: number) => Promise<number>
const STEPS: Step[] = [
  deleteExpiredSessions,
  deleteExpiredTokens,
  deleteOldInvitations,
  deleteFinishedEmails,
  deleteEmailsWithoutRecipient,
  deleteFailedTexts,
  deleteUnusedLimits,
  deleteExpiredCounters,
  deleteExpiredDevices,
  deleteExpiredTrustedDevices,
  deleteExpiredSetups,
  deleteExpiredFailures,
  deleteExpiredArtifacts,
  deleteExpiredGrants,
  deleteSessionsLeftAtDisabledClients,
  deleteOldStatistics,
  deleteSettledLogOuts,
  deleteOldRowChanges,
]

/** Several processes may run this concurrently, because each step skips locked rows. */
export function createMaintenance(context: Context): PeriodicWork {
  const work = unlessClockIsAhead(context, (signal) => maintain(context, signal))
  return runPeriodically(context, PAUSE_MILLISECONDS, 'maintenance failed', work)
}

function runStep({ database, now }: Context, step: Step, signal?: AbortSignal): Promise<void> {
  const runBatch = async (limit: number) => (await step(database, now(), limit)) >= limit
  return inBatches(smallerAfterTimeout(BATCH_SIZE, runBatch), signal)
}

/**
 * Expired rows contain personal data. A step that fails in each run must not stop the others.
 * @throws Error with the names of the steps that failed
 */
export async function maintain(context: Context, signal?: AbortSignal): Promise<void> {
  const failed: string[] = []
  const attempt = async (step: string, work: () => Promise<void>) => {
    await work().catch((error) => {
      context.log.error({ err: error, step }, 'a step of maintenance failed')
      failed.push(step)
    })
  }
  for (const step of STEPS) await attempt(step.name, () => runStep(context, step, signal))
  await attempt(purgeEvents.name, () => purgeEvents(context, signal))
  if (failed.length > 0) throw new Error(`These steps failed: ${failed.join(', ')}`)
}
