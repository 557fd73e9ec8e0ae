import type { Runtime } from '../../platform/context.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { MINUTE_MILLISECONDS } from '../../platform/time/time-units.ts'
import type { Caller } from './caller.ts'

const FRESH_MILLISECONDS = 15 * MINUTE_MILLISECONDS

/** @throws ApiError SESSION_NOT_FRESH unless the session was authenticated in the last 15 minutes */
export function assertFreshSession({ now }: Pick<Runtime, 'now'>, { session }: Caller): void {
  // A time more than 15 minutes in the future comes from a clock that was ahead, so it counts as stale.
  const isFresh = Math.abs(now() - session.authenticatedAt) < FRESH_MILLISECONDS
  if (!isFresh) throw new ApiError('SESSION_NOT_FRESH')
}
