import type { PlatformContext } from '../../platform/context.ts'
import { type ChainEnds, NO_EVENT } from './chain-ends-store.ts'
import { hasValidChainEndMac } from './event-mac.ts'

type Keys = Pick<PlatformContext, 'keyring'>

/** A new MAC of an invalid end would certify the changes of an attacker. @returns a sentence, or undefined */
export function findChainEndsProblem(keys: Keys, ends: ChainEnds): string | undefined {
  const problem = findEndRowsProblem(keys, ends) ?? findHeadProblem(keys, ends)
  if (problem) return problem
  const { head = NO_EVENT, start = NO_EVENT, hasEventNextToStart } = ends
  if (head.sequence > start.sequence && !hasEventNextToStart)
    return `Event ${start.sequence + 1} was removed, or the start of the chain.`
  return undefined
}

/** An invalid start does not stop linking, because new events without a link could be removed unnoticed. */
export function findHeadProblem(keys: Keys, ends: ChainEnds): string | undefined {
  const problem = findHeadRowProblem(keys, ends)
  if (problem) return problem
  if (ends.hasEventAfterHead) return 'Events were inserted after the end of the chain, or the chain head was set back.'
  return undefined
}

/** A walk along the chain verifies the rest, and names the event. */
export function findEndRowsProblem(keys: Keys, ends: ChainEnds): string | undefined {
  const { start } = ends
  if (start && !hasValidChainEndMac(keys.keyring.verifyMac, 'audit start', start))
    return 'The start of the chain was changed.'
  return findHeadRowProblem(keys, ends)
}

function findHeadRowProblem(
  { keyring }: Keys,
  { head, start, hasOtherRows, hasEventAfterHead }: ChainEnds,
): string | undefined {
  if (hasOtherRows) return 'The chain has a second head or a second start, which this service did not write.'
  if (head && !hasValidChainEndMac(keyring.verifyMac, 'audit head', head)) return 'The chain head was changed.'
  if (!head && (start || hasEventAfterHead)) return 'The chain head was removed.'
  if (head && start && head.sequence < start.sequence) return 'The chain head was set back.'
  return undefined
}
