import type { Static } from 'typebox'
import type { Context } from '../../../core/context.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { parseThrottleKey } from '../../../core/limits/throttles.ts'
import { toIso } from '../../../platform/http/time.ts'
import type { ListThrottlesResponse } from './schemas.ts'
import { readThrottledUsers } from './throttled-users.ts'

const THROTTLES_MAXIMUM = 500

type Throttle = Static<typeof ListThrottlesResponse>['throttles'][number]

/** The limits that are at least half used, the most used first. On SQLite, those of this process. */
export async function listThrottles(context: Context, rateLimits: RateLimits): Promise<Throttle[]> {
  const counters = await rateLimits.listHalfUsed(THROTTLES_MAXIMUM)
  const userOf = await readThrottledUsers(
    context,
    counters.map(({ key }) => key),
  )
  return counters.flatMap(({ expiresAt, ...counter }) => {
    const throttled = parseThrottleKey(counter.key)
    if (!throttled) return []
    const { kind, holder, route, id } = throttled
    const isNetwork = holder === 'network' || holder === 'site'
    const subject = isNetwork ? id : (userOf(counter.key)?.email ?? null)
    return [{ ...counter, kind, holder, route, subject, expiresAt: toIso(expiresAt) }]
  })
}
