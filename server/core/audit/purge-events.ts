import { inBatches } from '../../platform/background/in-batches.ts'
import type { PlatformContext } from '../../platform/context.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../platform/time/time-units.ts'
import { hasNewestSecret } from '../secret-generations/has-newest-secret.ts'
import { MAINTENANCE } from './actor.ts'
import { advanceChainEnd, type ChainEnds, type ChainPosition, NO_EVENT, readChainEnds } from './chain-ends-store.ts'
import { createChainVerifier } from './chain-verifier.ts'
import { chainEndMac } from './event-mac.ts'
import { findChainEndsProblem } from './find-chain-ends-problem.ts'
import { recordEvent } from './record-event.ts'
import { deleteLinkedEvents, isNextEventBefore, listLinked, type StoredEvent } from './store.ts'
import { findLinkProblem } from './verify-chain.ts'

/** Small, because SQLite answers no request during a batch: with a million users, 1,000 events take 120 to 400 ms. */
const BATCH_SIZE = 50
/** More than the clocks of two processes differ. */
const CLOCK_DIFFERENCE_MILLISECONDS = HOUR_MILLISECONDS

interface Batch {
  from: ChainPosition
  to: ChainPosition
  isLast: boolean
}

/** Stores the start of the remaining chain with a MAC, so that a deletion by an attacker shows. */
export async function purgeEvents(context: PlatformContext, signal?: AbortSignal): Promise<void> {
  const { auditRetentionDays } = context.config
  if (auditRetentionDays === undefined) return
  // Whole days, because each purge is an audit event.
  const today = Math.floor(context.now() / DAY_MILLISECONDS)
  const keptFrom = (today - auditRetentionDays) * DAY_MILLISECONDS
  let isRecorded = false
  await inBatches(async () => {
    const batch = await findBatch(context, keptFrom)
    if (!batch) return false
    if (await purgeBatch(context, batch, isRecorded ? undefined : keptFrom)) isRecorded = true
    return !batch.isLast
  }, signal)
}

/**
 * An event with a future time was recorded while a clock was ahead. The event is purged with the next event that has a
 * right time, and does not end the purge.
 */
async function findBatch(context: PlatformContext, keptFrom: number): Promise<Batch | undefined> {
  // With an older SECRET, the newest events look forged.
  if (!(await hasNewestSecret(context))) return undefined
  const { database, now } = context
  const latest = now() + CLOCK_DIFFERENCE_MILLISECONDS
  const ends = await readChainEnds(database)
  const from = ends.start ?? NO_EVENT
  const events = await listLinked(database, from.sequence, BATCH_SIZE)
  const isAhead = ({ createdAt }: StoredEvent) => (createdAt ?? 0) > latest
  const firstKept = events.findIndex((event) => !isAhead(event) && (event.createdAt ?? 0) >= keptFrom)
  const earlier = firstKept === -1 ? events : events.slice(0, firstKept)
  const areAllAhead = earlier.length === BATCH_SIZE && earlier.every(isAhead)
  const isNextOld = areAllAhead && (await isNextEventBefore(database, from.sequence, { latest, time: keptFrom }))
  const purged = isNextOld ? earlier : earlier.slice(0, earlier.findLastIndex((event) => !isAhead(event)) + 1)
  const to = await findVerifiedEnd(context, ends, purged)
  return to && { from, to, isLast: firstKept !== -1 }
}

/** @param recordedBefore set for the first batch @returns false when another process has purged the events */
function purgeBatch(
  context: PlatformContext,
  { from, to }: Batch,
  recordedBefore: number | undefined,
): Promise<boolean> {
  const start = { ...to, mac: chainEndMac(context.keyring, 'audit start', to) }
  return context.database.transaction().execute(async (transaction) => {
    if (!(await advanceChainEnd(transaction, 'auditStart', from.sequence, start))) return false
    await deleteLinkedEvents(transaction, from.sequence, to.sequence)
    if (recordedBefore !== undefined) {
      const details = { before: new Date(recordedBefore).toISOString() }
      await recordEvent(transaction, context, MAINTENANCE, { action: 'audit-log.purged', details })
    }
    return true
  })
}

/** @returns undefined without events, and after tampering, because the evidence must stay */
async function findVerifiedEnd(
  context: PlatformContext,
  ends: ChainEnds,
  events: StoredEvent[],
): Promise<ChainPosition | undefined> {
  const verifierAt = await createChainVerifier(context)
  let problem = findChainEndsProblem(context, ends)
  let end: ChainPosition | undefined
  for (const event of events) {
    problem ??= findLinkProblem(verifierAt, end ?? ends.start ?? NO_EVENT, event, undefined)
    if (problem) {
      // Another process may have purged the next events between the two reads.
      const { start } = await readChainEnds(context.database)
      if (start?.sequence === ends.start?.sequence)
        context.log.error({ problem }, 'the audit log was tampered with, and is not purged')
      return undefined
    }
    end = { sequence: event.sequence ?? 0, hash: event.hash ?? '' }
  }
  return end
}
