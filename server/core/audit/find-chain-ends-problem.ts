import type { PlatformContext } from '../../platform/context.ts'
import { type ChainEnds, NO_EVENT } from './chain-ends-store.ts'
import { hasValidChainEndMac } from './event-mac.ts'

/**
 * Both ends are valid if the linked events reach from one to the other. A link to an invalid head, and a new MAC of an
 * invalid end, would certify what an attacker left.
 * @returns a sentence, or undefined
 */
export function findChainEndsProblem(context: Pick<PlatformContext, 'keyring'>, ends: ChainEnds): string | undefined {
  const rowsProblem = findEndRowsProblem(context, ends)
  if (rowsProblem) return rowsProblem
  const { head = NO_EVENT, start = NO_EVENT, hasEventAfterHead, hasFirstEvent } = ends
  if (hasEventAfterHead) return 'Events were inserted after the end of the chain, or the chain head was set back.'
  if (head.sequence > start.sequence && !hasFirstEvent)
    return `Event ${start.sequence + 1} was removed, or the start of the chain.`
  return undefined
}

/**
 * The part of the rule that needs no event. A walk along the chain verifies the rest, and names the event.
 * @returns a sentence, or undefined
 */
export function findEndRowsProblem(
  { keyring }: Pick<PlatformContext, 'keyring'>,
  { head, start, hasOtherRows, hasEventAfterHead }: ChainEnds,
): string | undefined {
  if (hasOtherRows) return 'The chain has a second head or a second start, which this service did not write.'
  if (start && !hasValidChainEndMac(keyring.verifyMac, 'audit start', start))
    return 'The start of the chain was changed.'
  if (head && !hasValidChainEndMac(keyring.verifyMac, 'audit head', head)) return 'The chain head was changed.'
  if (!head && (start || hasEventAfterHead)) return 'The chain head was removed.'
  if (head && start && head.sequence < start.sequence) return 'The chain head was set back.'
  return undefined
}
