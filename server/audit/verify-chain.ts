import type { Context } from '../context.ts'
import type { AuditEventRow } from '../database/tables.ts'
import { chainHash, entryMac, headMac } from './entry-mac.ts'
import { type AuditHead, countUnchained, findHead, listChained } from './store.ts'

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
  /** The first thing that is wrong, in a sentence; absent when nothing is. */
  problem?: string
}

/**
 * Walks the whole chain.
 * @param onProgress told how many entries were looked at, of how many
 */
export async function verifyChain(
  context: Context,
  known: KnownHead | undefined,
  onProgress: (done: number, total: number) => void,
): Promise<Verdict> {
  const { database, sealer } = context
  const head = await findHead(database)
  const unchainedCount = await countUnchained(database)
  const verdict = { head: { sequence: head.sequence, hash: head.hash }, unchainedCount }
  let previous: KnownHead = { sequence: 0, hash: '' }
  for (;;) {
    const entries = await listChained(database, previous.sequence, ENTRIES_AT_ONCE)
    for (const entry of entries) {
      // Entries after the head that was read first were linked while we walk; the next run sees them.
      if (entry.sequence !== null && entry.sequence > head.sequence && (await hasGrown(context, head))) break
      const problem = judge(context, previous, entry, known)
      if (problem) return { ...verdict, problem }
      previous = { sequence: entry.sequence ?? 0, hash: entry.hash ?? '' }
    }
    onProgress(previous.sequence, head.sequence)
    if (entries.length < ENTRIES_AT_ONCE || previous.sequence >= head.sequence) break
  }
  const problem = judgeEnd(head, previous, known, headMac(sealer, head.sequence, head.hash))
  return problem ? { ...verdict, problem } : verdict
}

async function hasGrown({ database }: Context, head: AuditHead): Promise<boolean> {
  return (await findHead(database)).sequence > head.sequence
}

/** What is wrong with an entry or the place it is in. */
function judge(
  { sealer }: Context,
  previous: KnownHead,
  entry: AuditEventRow,
  known: KnownHead | undefined,
): string | undefined {
  const sequence = previous.sequence + 1
  const called = `Entry ${entry.sequence} (${entry.id})`
  if (entry.sequence !== sequence) return `Entry ${sequence} was removed: after ${previous.sequence} comes ${called}.`
  if (entry.mac !== entryMac(sealer, entry)) return `${called} was changed, or was not written by this service.`
  if (entry.hash !== chainHash(sealer, previous.hash, sequence, entry.mac))
    return `${called} was inserted, or the one before it was exchanged: it does not follow from entry ${previous.sequence}.`
  if (known?.sequence === sequence && known.hash !== entry.hash)
    return `${called} is not the one whose hash you kept: the record up to here was rewritten.`
  return undefined
}

function judgeEnd(head: AuditHead, last: KnownHead, known: KnownHead | undefined, mac: string): string | undefined {
  if (head.sequence > 0 && head.mac !== mac) return 'The record of where the chain ends was changed.'
  if (last.sequence < head.sequence)
    return `Entry ${last.sequence + 1} was removed, and all after it: the chain should reach ${head.sequence}.`
  if (last.sequence > head.sequence) return `Entry ${head.sequence + 1} was inserted after the end of the chain.`
  if (last.hash !== head.hash) return 'The record of where the chain ends was changed.'
  if (known && known.sequence > head.sequence)
    return `Entry ${head.sequence + 1} was removed, and all after it: you kept the hash of entry ${known.sequence}.`
  return undefined
}
