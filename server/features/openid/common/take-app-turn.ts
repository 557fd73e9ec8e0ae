import type { OpenIdContext } from './openid-context.ts'
import { getRequestState } from './request-state.ts'

/**
 * A request takes one turn at most, so that two requests never wait for each other.
 * @returns whether the request has waited. The rights that it read before may have changed.
 * @throws ApiError TOO_MANY_REQUESTS; DatabaseUnavailable
 */
export async function takeAppTurn({ rateLimits }: OpenIdContext, userId: string): Promise<boolean> {
  const state = getRequestState()
  if (state.endTurn) return false
  let hasWaited = false
  state.endTurn = await rateLimits.takeAppTurn(userId, (wait) => {
    hasWaited = true
    state.waitForTurn(wait)
  })
  if (hasWaited) state.subjects.clear()
  return hasWaited
}
