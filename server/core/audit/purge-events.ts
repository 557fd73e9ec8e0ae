import type { PlatformContext } from '../../platform/context.ts'
import { MAINTENANCE } from './actor.ts'
import { placeMac } from './event-mac.ts'
import { recordEvent } from './record-event.ts'
import { advanceStart, deleteLinkedEvents, findStart, listChained, type StoredEvent } from './store.ts'
import { findLinkProblem, type KnownHead } from './verify-chain.ts'
import { createChainVerifier } from './verify-mac.ts'

const DAY_MILLISECONDS = 86_400_000
const EVENTS_AT_ONCE = 1_000

/**
 * Deletes the oldest part of the chain once its events are older than AUDIT_RETENTION_DAYS, and stores where the rest
 * begins, with a keyed hash: so the rest can still be verified, and a deletion by anyone else shows. Any number of
 * processes may do it at once; moving the start decides whose batch counts.
 */
export async function purgeEvents(context: PlatformContext): Promise<void> {
  const { auditRetentionDays } = context.config
  if (auditRetentionDays === undefined) return
  // Whole days: otherwise each run would purge a little, and record that.
  const today = Math.floor(context.now() / DAY_MILLISECONDS)
  const keptFrom = (today - auditRetentionDays) * DAY_MILLISECONDS
  while (await purgeBatch(context, keptFrom)) {}
}

/** @returns whether there may be more to purge */
async function purgeBatch(context: PlatformContext, keptFrom: number): Promise<boolean> {
  const { database, keyring } = context
  const from: KnownHead = (await findStart(database)) ?? { sequence: 0, hash: '' }
  const events = await listChained(database, from.sequence, EVENTS_AT_ONCE)
  const firstKept = events.findIndex(({ createdAt }) => (createdAt ?? 0) >= keptFrom)
  const purged = firstKept === -1 ? events : events.slice(0, firstKept)
  const to = await checkedEnd(context, from, purged)
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

/** The end of a stretch that is as the service wrote it; undefined when it is empty, or evidence that must stay. */
async function checkedEnd(
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
