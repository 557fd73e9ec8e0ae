import type { Kysely } from 'kysely'
import type { PlatformContext } from '../../platform/context.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { type ChainEnds, type ChainPosition, NO_EVENT, readChainEnds } from './chain-ends-store.ts'
import { createChainVerifier, type VerifyMac } from './chain-verifier.ts'
import { hasValidHash, hasValidMac } from './event-mac.ts'
import { findEndRowsProblem } from './find-chain-ends-problem.ts'
import { listLinked, listUnlinkedAfter, type StoredEvent } from './store.ts'

const BATCH_SIZE = 1_000

export interface AuditVerdict {
  head: ChainPosition
  unlinkedCount: number
  /** The sequence of the last purged event, or 0. */
  purgedUpTo: number
  /** The first problem, as a sentence. */
  problem?: string
}

/** Verifies unlinked events first, to miss none that is linked concurrently. @param known a head stored elsewhere */
export async function verifyChain(
  context: PlatformContext,
  known: ChainPosition | undefined,
  onProgress: (done: number, total: number) => void,
): Promise<AuditVerdict> {
  const unlinked = await walkUnlinked(context)
  const chain = await verifyFromStart(context.database, (ends) => walkChain(context, ends, known, onProgress))
  const problem = chain.problem ?? unlinked.problem
  const { head, purgedUpTo } = chain
  return { head, purgedUpTo, unlinkedCount: unlinked.count, ...(problem !== undefined && { problem }) }
}

async function walkUnlinked({ database, keyring }: PlatformContext): Promise<{ count: number; problem?: string }> {
  let count = 0
  let last: StoredEvent | undefined
  for (;;) {
    const events = await listUnlinkedAfter(database, last, BATCH_SIZE)
    count += events.length
    const invalid = events.find((event) => !hasValidMac(keyring.verifyMac, event))
    if (invalid)
      return { count, problem: `Event ${invalid.id}, not linked yet, was changed, or was not written by this service.` }
    if (events.length < BATCH_SIZE) return { count }
    last = events.at(-1)
  }
}

type ChainVerdict = Omit<AuditVerdict, 'unlinkedCount'>

/** Repeats the walk after a concurrent purge, because events that were purged between two reads look removed. */
export async function verifyFromStart<Verdict extends { problem?: string | undefined }>(
  database: Kysely<Tables>,
  walkFrom: (ends: ChainEnds) => Promise<Verdict>,
): Promise<Verdict> {
  const ends = await readChainEnds(database)
  const verdict = await walkFrom(ends)
  if (verdict.problem === undefined) return verdict
  const isPurged = (await readChainEnds(database)).start?.sequence !== ends.start?.sequence
  return isPurged ? verifyFromStart(database, walkFrom) : verdict
}

async function walkChain(
  context: PlatformContext,
  firstEnds: ChainEnds,
  known: ChainPosition | undefined,
  onProgress: (done: number, total: number) => void,
): Promise<ChainVerdict> {
  const { start = NO_EVENT } = firstEnds
  let ends = firstEnds
  const toVerdict = (problem: string | undefined): ChainVerdict => {
    const { sequence, hash } = ends.head ?? NO_EVENT
    return { head: { sequence, hash }, purgedUpTo: start.sequence, ...(problem !== undefined && { problem }) }
  }
  const startProblem = findEndRowsProblem(context, ends) ?? findPurgedProblem(start, known)
  if (startProblem) return toVerdict(startProblem)
  const verifierAt = await createChainVerifier(context)
  let last: ChainPosition | undefined
  for (;;) {
    const events = await listLinked(context.database, last?.sequence, BATCH_SIZE)
    // The head was read before, so the chain must reach it.
    if (events.length === 0) break
    for (const event of events) {
      const problem = findLinkProblem(verifierAt, last ?? start, event, known)
      if (problem) return toVerdict(problem)
      last = { sequence: event.sequence ?? 0, hash: event.hash ?? '' }
    }
    ends = await readChainEnds(context.database)
    onProgress(last?.sequence ?? 0, ends.head?.sequence ?? 0)
  }
  const endProblem = findEndRowsProblem(context, ends) ?? findEndProblem(ends.head ?? NO_EVENT, last ?? start, known)
  return toVerdict(endProblem)
}

function findPurgedProblem({ sequence, hash }: ChainPosition, known: ChainPosition | undefined): string | undefined {
  if (known?.sequence !== sequence || known.hash === hash) return undefined
  return `Event ${sequence}, purged since, was not the one whose hash you stored: the log up to there was rewritten.`
}

export function findLinkProblem(
  verifierAt: (sequence: number) => VerifyMac,
  previous: ChainPosition,
  event: StoredEvent,
  known: ChainPosition | undefined,
): string | undefined {
  const sequence = previous.sequence + 1
  // SQLite also stores fractions, texts and bytes in this column.
  if (!Number.isSafeInteger(event.sequence) || Number(event.sequence) <= previous.sequence)
    return `Event ${event.id} was inserted: no place in the chain has its number.`
  const called = `Event ${event.sequence} (${event.id})`
  if (event.sequence !== sequence) return `Event ${sequence} was removed: after ${previous.sequence} comes ${called}.`
  const verifyMac = verifierAt(sequence)
  if (!hasValidMac(verifyMac, event)) return `${called} was changed, or was not written by this service.`
  if (!hasValidHash(verifyMac, previous.hash, event))
    return `${called} was inserted, or the previous event was replaced: it does not follow from event ${previous.sequence}.`
  if (known?.sequence === sequence && known.hash !== event.hash)
    return `${called} is not the one whose hash you stored: the log up to here was rewritten.`
  return undefined
}

function findEndProblem(
  head: ChainPosition,
  last: ChainPosition,
  known: ChainPosition | undefined,
): string | undefined {
  if (last.sequence < head.sequence)
    return `Event ${last.sequence + 1} was removed, and all after it: the chain should reach ${head.sequence}.`
  if (last.sequence > head.sequence) return `Event ${head.sequence + 1} was inserted after the end of the chain.`
  if (last.hash !== head.hash) return 'The chain head was changed.'
  if (known && known.sequence > head.sequence)
    return `Event ${head.sequence + 1} was removed, and all after it: you stored the hash of event ${known.sequence}.`
  return undefined
}
