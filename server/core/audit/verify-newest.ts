import type { PlatformContext } from '../../platform/context.ts'
import { type ChainEnd, type ChainPosition, readHead } from './chain-ends-store.ts'
import { createChainVerifier } from './chain-verifier.ts'
import { listLinked } from './store.ts'
import { findHeadProblem, findLinkProblem, findStartProblem, verifyFromStart } from './verify-chain.ts'

const NEWEST = 200

/**
 * Verifies both ends of the chain and its newest 200 events: few enough for a page that waits for the result. Only
 * `audit verify` finds a change of an older event.
 * @returns the first problem, as a sentence
 */
export async function findNewestProblem(context: PlatformContext): Promise<string | undefined> {
  const { problem } = await verifyFromStart(context.database, async (start) => ({
    problem: await findNewestProblemAfter(context, start),
  }))
  return problem
}

/** The head is read after the start: a purge could move a start that is read later past the head. */
async function findNewestProblemAfter(context: PlatformContext, purged: ChainEnd): Promise<string | undefined> {
  const { database } = context
  const startProblem = findStartProblem(context, purged, undefined)
  if (startProblem) return startProblem
  // Another process may link the first event now, so events are read before the head.
  const hasEvents = purged.sequence > 0 || (await listLinked(database, undefined, 1)).length > 0
  const head = await readHead(database)
  if (head.sequence === 0) return hasEvents ? 'The chain head was removed.' : undefined
  const headProblem = findHeadProblem(context, head)
  if (headProblem) return headProblem
  const from = Math.max(purged.sequence, head.sequence - NEWEST - 1)
  const events = await listLinked(database, from, NEWEST + 1)
  const verifierAt = await createChainVerifier(context)
  let last: ChainPosition | undefined = from === purged.sequence ? purged : undefined
  for (const event of events) {
    // The remaining events were linked after the head was read.
    if (last && last.sequence >= head.sequence) break
    const problem = last && findLinkProblem(verifierAt, last, event, undefined)
    if (problem) return problem
    last = { sequence: event.sequence ?? 0, hash: event.hash ?? '' }
  }
  return last?.hash === head.hash ? undefined : 'The newest events of the chain were removed or changed.'
}
