import { inBatches } from '../../platform/background/in-batches.ts'
import { type PeriodicWork, runPeriodically } from '../../platform/background/run-periodically.ts'
import type { PlatformContext } from '../../platform/context.ts'
import { MINUTE_MILLISECONDS } from '../../platform/time/time-units.ts'
import { hasNewestSecret } from '../secret-generations/has-newest-secret.ts'
import { advanceChainEnd, type ChainPosition, NO_EVENT, readChainEnds } from './chain-ends-store.ts'
import { countEvents } from './count-events.ts'
import { chainEndMac, chainHash, hasValidMac } from './event-mac.ts'
import { findHeadProblem } from './find-chain-ends-problem.ts'
import { linkEvents, listUnlinked, type StoredEvent } from './store.ts'

const POLL_MILLISECONDS = 500
const BATCH_SIZE = 100
/** Covers clock differences between processes, and the last count of a window, which is saved later. */
const WINDOW_GRACE_MILLISECONDS = MINUTE_MILLISECONDS
/** A stop must not wait for a backlog. Another process links the rest, or this one after the next start. */
const STOP_MILLISECONDS = 1_000
const FAILURE = 'audit events could not be linked'

const INVALID_HEAD =
  'the head of the audit log was changed, and no event is linked: see npm run accounts -- audit verify'
const INVALID = 'audit events were changed, or not written by this service, and are not linked'
const NEWER_SECRET = 'events of the audit log were written with a newer SECRET: restart this process with it'

/** The parts of the audit log with an invalid MAC. A link would certify them. */
interface InvalidParts {
  hasInvalidHead: boolean
  /** 0 with an invalid head, because no event is verified then. */
  count: number
  firstId: string | undefined
}

/** Runs after the transactions of changes: linking inside them would make concurrent changes wait for the head. */
export function createChainer(context: PlatformContext): PeriodicWork {
  let known: Omit<InvalidParts, 'firstId'> = { hasInvalidHead: false, count: 0 }
  const link = async (signal: AbortSignal) => {
    const { hasInvalidHead, count, firstId } = await linkNewEvents(context, signal)
    // An aborted run has counted only a part of the invalid events.
    if (signal.aborted) return
    // Logged once, because the head and the events stay until an operator restores or removes them.
    const isKnown = count <= known.count && (known.hasInvalidHead || !hasInvalidHead)
    known = { hasInvalidHead, count }
    if (isKnown) return
    if (!(await hasNewestSecret(context))) context.log.warn({ count }, NEWER_SECRET)
    else if (hasInvalidHead) context.log.error(INVALID_HEAD)
    else context.log.error({ count, firstId }, INVALID)
  }
  const linking = runPeriodically(context, POLL_MILLISECONDS, FAILURE, link)
  return {
    start: linking.start,
    async stop() {
      await linking.stop()
      await link(AbortSignal.timeout(STOP_MILLISECONDS)).catch((error) => context.log.error({ err: error }, FAILURE))
    },
  }
}

/** @param onLinked gets the total of linked events after each batch */
export async function linkNewEvents(
  context: PlatformContext,
  signal?: AbortSignal,
  onLinked: (count: number) => void = () => {},
): Promise<InvalidParts> {
  const invalid: InvalidParts = { hasInvalidHead: false, count: 0, firstId: undefined }
  let linkedCount = 0
  const closedAt = context.now() - WINDOW_GRACE_MILLISECONDS
  await inBatches(async () => {
    // The head is read before the events: if another process links some of them concurrently, advanceChainEnd fails.
    const ends = await readChainEnds(context.database)
    invalid.hasInvalidHead = findHeadProblem(context, ends) !== undefined
    if (invalid.hasInvalidHead) return false
    const waiting = await listUnlinked(context.database, closedAt, BATCH_SIZE, invalid.count)
    const valid = waiting.filter((event) => hasValidMac(context.keyring.verifyMac, event))
    invalid.count += waiting.length - valid.length
    invalid.firstId ??= waiting.find((event) => !valid.includes(event))?.id
    if (valid.length > 0) {
      await linkBatch(context, ends.head ?? NO_EVENT, valid)
      linkedCount += valid.length
      onLinked(linkedCount)
    }
    return waiting.length > 0
  }, signal)
  return invalid
}

async function linkBatch(
  { database, keyring }: PlatformContext,
  head: ChainPosition,
  events: StoredEvent[],
): Promise<void> {
  let { sequence, hash } = head
  const links = events.map(({ id, mac }) => {
    sequence += 1
    hash = chainHash(keyring, hash, sequence, mac)
    return { id, mac, sequence, hash }
  })
  const next = { sequence, hash, mac: chainEndMac(keyring, 'audit head', { sequence, hash }) }
  await database.transaction().execute(async (transaction) => {
    // Another process has linked the same events.
    if (!(await advanceChainEnd(transaction, 'auditHead', head.sequence, next))) return
    await linkEvents(transaction, links)
    await countEvents(transaction, events)
  })
}
