import type { AuthorizedStaff } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { parseThrottleKey } from '../../../core/limits/throttles.ts'
import { lockStaffForShare } from '../../../core/users/lock-managed-user.ts'
import { readThrottledUsers } from './throttled-users.ts'

/** @returns false when there is no such counter. @throws ApiError as `lockStaffForShare` */
export async function clearThrottle(
  context: Context,
  rateLimits: RateLimits,
  actor: Actor,
  staff: AuthorizedStaff,
  key: string,
): Promise<boolean> {
  const user = (await readThrottledUsers(context, [key]))(key)
  const isCleared = await inTransaction(context, actor, async ({ transaction, record }) => {
    await lockStaffForShare(transaction, context, staff)
    if (!(await rateLimits.clear(transaction, key))) return false
    await record({ action: 'limit.cleared', ...(user && { subjectId: user.id }), details: { key: toLoggedKey(key) } })
    return true
  })
  if (isCleared) rateLimits.forget(key)
  return isCleared
}

/** Hashes of email addresses can be guessed. The audit log must not join an address with the id of a deleted user. */
function toLoggedKey(key: string): string {
  const { kind, holder } = parseThrottleKey(key) ?? {}
  return holder === 'account' ? `${kind} ${holder}` : key
}
