import { inBatches } from '../../platform/background/in-batches.ts'
import type { PlatformContext } from '../../platform/context.ts'
import { MAINTENANCE } from './actor.ts'
import { advanceStart, findStart } from './chain-ends-store.ts'
import { placeMac } from './event-mac.ts'
import { recordEvent } from './record-event.ts'
import { deleteLinkedEvents, listChained, type StoredEvent } from './store.ts'
import { findLinkProblem, type KnownHead } from './verify-chain.ts'
import { createChainVerifier } from './verify-mac.ts'

const DAY_MILLISECONDS = 86_400_000
const BATCH_SIZE = 1_000

/**
 * Deletes events that are older than AUDIT_RETENTION_DAYS, and stores the start of the rest with a MAC. The rest can still
 * be verified, and a deletion by an attacker shows. With several processes, the one that moves the start purges the batch.
 */
export async function purgeEvents(context: PlatformContext, signal?: AbortSignal): Promise<void> {
  const { auditRetentionDays } = context.config
  if (auditRetentionDays === undefined) return
  // Whole days, because each purge is an audit event.
  const today = Math.floor(context.now() / DAY_MILLISECONDS)
  const keptFrom = (today - auditRetentionDays) * DAY_MILLISECONDS
  await inBatches(() => purgeBatch(context, keptFrom), signal)
}

/** @returns whether there may be more to purge */
async function purgeBatch(context: PlatformContext, keptFrom: number): Promise<boolean> {
  const { database, keyring } = context
  const from: KnownHead = (await findStart(database)) ?? { sequence: 0, hash: '' }
  const events = await listChained(database, from.sequence, BATCH_SIZE)
  const firstKept = events.findIndex(({ createdAt }) => (createdAt ?? 0) >= keptFrom)
  const purged = firstKept === -1 ? events : events.slice(0, firstKept)
  const to = await findVerifiedEnd(context, from, purged)
  if (!to) return false
  const start = { ...to, mac: placeMac(keyring, 'audit start', to) }
  await database.transaction().execute(async (transaction) => {
    if (!(await advanceStart(transaction, from.sequence, start))) return
    await deleteLinkedEvents(transaction, from.sequence, to.sequence)
    const details = { sequence: to.sequence, count: purged.length }
    await recordEvent(transaction, context, MAINTENANCE, { action: 'audit-log.purged', details })
  })
  return firstKept === -1
}

/** Undefined for no events, and after tampering, whose evidence must stay. */
async function findVerifiedEnd(
  context: PlatformContext,
  from: KnownHead,
  events: StoredEvent[],
): Promise<KnownHead | undefined> {
  const verifierAt = await createChainVerifier(context)
  let end: KnownHead | undefined
  for (const event of events) {
    const problem = findLinkProblem(verifierAt, end ?? from, event, undefined)
    if (problem) {
      context.log.error({ problem }, 'the audit log was tampered with, and is not purged')
      return undefined
    }
    end = { sequence: event.sequence ?? 0, hash: event.hash ?? '' }
  }
  return end
}
