import type { PlatformContext } from '../../platform/context.ts'
import { type ChainEnds, type ChainPosition, NO_EVENT } from './chain-ends-store.ts'
import { createChainVerifier } from './chain-verifier.ts'
import { findChainEndsProblem } from './find-chain-ends-problem.ts'
import { listLinked } from './store.ts'
import { findLinkProblem, verifyFromStart } from './verify-chain.ts'

const NEWEST = 200

/** Reads few events, because a page waits for the result. Only `audit verify` finds a change of an older event. */
export async function findNewestProblem(context: PlatformContext): Promise<string | undefined> {
  const { problem } = await verifyFromStart(context.database, async (ends) => ({
    problem: findChainEndsProblem(context, ends) ?? (await findNewestEventsProblem(context, ends)),
  }))
  return problem
}

async function findNewestEventsProblem(context: PlatformContext, ends: ChainEnds): Promise<string | undefined> {
  const { head = NO_EVENT, start = NO_EVENT } = ends
  const from = Math.max(start.sequence, head.sequence - NEWEST - 1)
  const events = await listLinked(context.database, from, NEWEST + 1)
  const verifierAt = await createChainVerifier(context)
  let last: ChainPosition | undefined = from === start.sequence ? start : undefined
  for (const event of events) {
    // The remaining events were linked after the head was read.
    if (last && last.sequence >= head.sequence) break
    const problem = last && findLinkProblem(verifierAt, last, event, undefined)
    if (problem) return problem
    last = { sequence: event.sequence ?? 0, hash: event.hash ?? '' }
  }
  return last?.hash === head.hash ? undefined : 'The newest events of the chain were removed or changed.'
}
