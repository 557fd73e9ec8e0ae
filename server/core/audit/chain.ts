import { type PeriodicWork, runPeriodically } from '../../platform/background/run-periodically.ts'
import type { PlatformContext } from '../../platform/context.ts'
import { hasNewestSecret } from '../secret-generations/has-newest-secret.ts'
import { chainHash, isOurs, placeMac } from './event-mac.ts'
import { type AuditHead, advanceHead, findHead, linkEvent, listUnchained, type StoredEvent } from './store.ts'

const POLL_MILLISECONDS = 500
const ENTRIES_AT_ONCE = 100
/** For processes whose clocks differ, and for the last count of a window, which is saved a moment later. */
const WINDOW_GRACE_MILLISECONDS = 60_000
const COMPLAINT = 'the audit record could not be chained'

const FOREIGN = 'entries of the audit record were changed, or not written by this service, and are not linked'
const NEWER_SECRET = 'events of the audit log were written with a newer SECRET: restart this process with it'

/** Entries that are left out of the chain, since to link them would be to vouch for them. */
interface Foreign {
  count: number
  firstId: string | undefined
}

/**
 * Links new entries of the audit record to the ones before, some moments after they were written: so nobody who writes
 * one waits for another, as they would if each held the end of the chain until its transaction is over. Any number of
 * processes may do it; moving the head decides whose batch counts.
 */
export function createChainer(context: PlatformContext): PeriodicWork {
  let known = 0
  const link = async () => {
    const { count, firstId } = await linkNewEntries(context)
    // Not at every turn: they stay until somebody has looked into it.
    if (count > known && (await hasNewestSecret(context))) context.log.error({ count, firstId }, FOREIGN)
    else if (count > known) context.log.warn({ count }, NEWER_SECRET)
    known = count
  }
  const linking = runPeriodically(context, POLL_MILLISECONDS, COMPLAINT, link)
  return {
    start: linking.start,
    /** Links what is left, too. */
    async stop() {
      await linking.stop()
      await link().catch((error) => context.log.error({ err: error }, COMPLAINT))
    },
  }
}

/** Links every entry that is committed and not yet linked. @returns those that it does not link */
export async function linkNewEntries(context: PlatformContext): Promise<Foreign> {
  const foreign: Foreign = { count: 0, firstId: undefined }
  const closedAt = context.now() - WINDOW_GRACE_MILLISECONDS
  for (;;) {
    // Before the entries: where another process links some of them concurrently, moving it from here fails.
    const head = await findHead(context.database)
    const waiting = await listUnchained(context.database, closedAt, ENTRIES_AT_ONCE, foreign.count)
    if (waiting.length === 0) return foreign
    const ours = waiting.filter((entry) => isOurs(context.keyring.verifyMac, entry))
    foreign.count += waiting.length - ours.length
    foreign.firstId ??= waiting.find((entry) => !ours.includes(entry))?.id
    if (ours.length > 0) await linkBatch(context, head, ours)
  }
}

async function linkBatch(
  { database, keyring }: PlatformContext,
  head: AuditHead,
  entries: StoredEvent[],
): Promise<void> {
  let { sequence, hash } = head
  const links = entries.map(({ id, mac }) => {
    sequence += 1
    hash = chainHash(keyring, hash, sequence, mac)
    return { id, mac, sequence, hash }
  })
  const next = { sequence, hash, mac: placeMac(keyring, 'audit head', { sequence, hash }) }
  await database.transaction().execute(async (transaction) => {
    // Another process may have linked the same entries concurrently: then this batch is not needed.
    if (!(await advanceHead(transaction, head.sequence, next))) return
    for (const entry of links) await linkEvent(transaction, entry)
  })
}
