import type { Caller } from '../../../core/access/caller.ts'
import { assertFreshSession } from '../../../core/access/freshness.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { hasPassword } from '../../../core/credentials/password-store.ts'
import { verifyCallerPassword } from '../../../core/credentials/verify-caller-password.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { ApiError } from '../../../platform/http/errors.ts'

/** @throws ApiError INVALID_PASSWORD; PASSWORD_TOO_LONG; SESSION_NOT_FRESH; TOO_MANY_REQUESTS */
export async function reauthenticate(
  context: Context,
  rateLimits: RateLimits,
  actor: Actor,
  caller: Caller,
  password: string | undefined,
): Promise<void> {
  if (!(await hasPassword(context.database, caller.user.id))) {
    // The verification of a password limits the other users.
    await rateLimits.chargeChange(caller.user.id)
    return assertFreshSession(context, caller)
  }
  if (password === undefined)
    throw new ApiError('INVALID_PASSWORD', { field: 'password', message: 'Enter your password.' })
  await verifyCallerPassword(context, rateLimits, actor, caller, password, 'password')
}
