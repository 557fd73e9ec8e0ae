import type { PlatformContext } from '../../platform/context.ts'
import { isLinked, isOurs, isPlaceOurs } from './event-mac.ts'
import { type AuditHead, findHead, findStart, listChained, listUnchainedAfter, type StoredEvent } from './store.ts'
import { createChainVerifier, type VerifyMac } from './verify-mac.ts'

const ENTRIES_AT_ONCE = 1_000

/** A place of the chain that was written down elsewhere, which the chain must still pass through. */
export interface KnownHead {
  sequence: number
  hash: string
}

export interface Verdict {
  head: KnownHead
  /** Written in the last moments, not yet linked. */
  unchainedCount: number
  /** The sequence of the last event that was purged; 0 while the log is whole. */
  purgedUpTo: number
  /** The first thing that is wrong, in a sentence; absent when nothing is. */
  problem?: string
}

/**
 * Looks at every entry there is: those that are not linked, then the chain, so that none is missed which is linked
 * concurrently.
 * @param onProgress told how many entries of the chain were looked at, of how many
 */
export async function verifyChain(
  context: PlatformContext,
  known: KnownHead | undefined,
  onProgress: (done: number, total: number) => void,
): Promise<Verdict> {
  const unchained = await walkUnchained(context)
  const chain = await walkChain(context, known, onProgress)
  const problem = chain.problem ?? unchained.problem
  const { head, purgedUpTo } = chain
  return { head, purgedUpTo, unchainedCount: unchained.count, ...(problem !== undefined && { problem }) }
}

async function walkUnchained({ database, keyring }: PlatformContext): Promise<{ count: number; problem?: string }> {
  let count = 0
  let last: StoredEvent | undefined
  for (;;) {
    const entries = await listUnchainedAfter(database, last, ENTRIES_AT_ONCE)
    count += entries.length
    const foreign = entries.find((entry) => !isOurs(keyring.verifyMac, entry))
    if (foreign)
      return { count, problem: `Entry ${foreign.id}, not linked yet, was changed, or was not written by this service.` }
    if (entries.length < ENTRIES_AT_ONCE) return { count }
    last = entries.at(-1)
  }
}

type ChainVerdict = Omit<Verdict, 'unchainedCount'>

async function walkChain(
  context: PlatformContext,
  known: KnownHead | undefined,
  onProgress: (done: number, total: number) => void,
): Promise<ChainVerdict> {
  const start = await findStart(context.database)
  const verdict = await walkChainFrom(context, start ?? NOTHING_PURGED, known, onProgress)
  if (verdict.problem === undefined) return verdict
  // Another process may have purged events between two reads, which looks as if they had been removed.
  const isPurged = (await findStart(context.database))?.sequence !== start?.sequence
  return isPurged ? walkChain(context, known, onProgress) : verdict
}

const NOTHING_PURGED: AuditHead = { sequence: 0, hash: '', mac: '' }

async function walkChainFrom(
  context: PlatformContext,
  start: AuditHead,
  known: KnownHead | undefined,
  onProgress: (done: number, total: number) => void,
): Promise<ChainVerdict> {
  const purgedUpTo = start.sequence
  let head = await findHead(context.database)
  const verifierAt = await createChainVerifier(context)
  const startProblem = findStartProblem(context, start, known)
  if (startProblem) return { head: keepable(head), purgedUpTo, problem: startProblem }
  let last: KnownHead | undefined
  for (;;) {
    const entries = await listChained(context.database, last?.sequence, ENTRIES_AT_ONCE)
    // The head was read before, so the chain should reach it; what was linked since is in the next batch.
    if (entries.length === 0) break
    for (const entry of entries) {
      const problem = findLinkProblem(verifierAt, last ?? start, entry, known)
      if (problem) return { head: keepable(head), purgedUpTo, problem }
      last = { sequence: entry.sequence ?? 0, hash: entry.hash ?? '' }
    }
    head = await findHead(context.database)
    onProgress(last?.sequence ?? 0, head.sequence)
  }
  const isHeadOurs = isPlaceOurs(context.keyring.verifyMac, 'audit head', head)
  const problem = judgeEnd(head, last ?? start, known, isHeadOurs)
  return { head: keepable(head), purgedUpTo, ...(problem !== undefined && { problem }) }
}

function findStartProblem(
  { keyring }: Pick<PlatformContext, 'keyring'>,
  start: AuditHead,
  known: KnownHead | undefined,
): string | undefined {
  const { sequence, hash } = start
  if (sequence > 0 && !isPlaceOurs(keyring.verifyMac, 'audit start', start))
    return 'The record of what was purged was changed.'
  if (known?.sequence === sequence && known.hash !== hash)
    return `Entry ${sequence}, purged since, was not the one whose hash you kept: the record up to there was rewritten.`
  return undefined
}

function keepable({ sequence, hash }: AuditHead): KnownHead {
  return { sequence, hash }
}

/** What is wrong with an entry or the place it is in; undefined when nothing is. */
export function findLinkProblem(
  verifierAt: (sequence: number) => VerifyMac,
  previous: KnownHead,
  entry: StoredEvent,
  known: KnownHead | undefined,
): string | undefined {
  const sequence = previous.sequence + 1
  // SQLite takes fractions, texts and bytes as well.
  if (!Number.isSafeInteger(entry.sequence) || Number(entry.sequence) <= previous.sequence)
    return `Entry ${entry.id} was inserted: no place in the chain has its number.`
  const called = `Entry ${entry.sequence} (${entry.id})`
  if (entry.sequence !== sequence) return `Entry ${sequence} was removed: after ${previous.sequence} comes ${called}.`
  const verifyMac = verifierAt(sequence)
  if (!isOurs(verifyMac, entry)) return `${called} was changed, or was not written by this service.`
  if (!isLinked(verifyMac, previous.hash, entry))
    return `${called} was inserted, or the one before it was exchanged: it does not follow from entry ${previous.sequence}.`
  if (known?.sequence === sequence && known.hash !== entry.hash)
    return `${called} is not the one whose hash you kept: the record up to here was rewritten.`
  return undefined
}

function judgeEnd(head: AuditHead, last: KnownHead, known: KnownHead | undefined, isOurs: boolean): string | undefined {
  if (head.sequence > 0 && !isOurs) return 'The record of where the chain ends was changed.'
  if (last.sequence < head.sequence)
    return `Entry ${last.sequence + 1} was removed, and all after it: the chain should reach ${head.sequence}.`
  if (last.sequence > head.sequence) return `Entry ${head.sequence + 1} was inserted after the end of the chain.`
  if (last.hash !== head.hash) return 'The record of where the chain ends was changed.'
  if (known && known.sequence > head.sequence)
    return `Entry ${head.sequence + 1} was removed, and all after it: you kept the hash of entry ${known.sequence}.`
  return undefined
}
