import type { RateLimits } from '../../../core/access/rate-limits.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'

/** @returns false when there is no such counter */
export function clearThrottle(context: Context, rateLimits: RateLimits, actor: Actor, key: string): Promise<boolean> {
  return inTransaction(context, actor, async ({ transaction, record }) => {
    if (!(await rateLimits.clear(transaction, key))) return false
    await record({ action: 'limit.cleared', details: { key } })
    return true
  })
}
