import type { Actor } from '../audit/actor.ts'
import type { Context } from '../context.ts'
import type { Caller } from '../http/caller.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import { refreshSession } from '../sessions/refresh-session.ts'
import { confirmPassword } from './confirm-password.ts'

/**
 * Makes the caller's session fresh again.
 * @throws ApiError as `confirmPassword`
 */
export async function verifyPassword(
  context: Context,
  rateLimits: RateLimits,
  actor: Actor,
  caller: Caller,
  password: string,
): Promise<void> {
  await confirmPassword(context, rateLimits, actor, caller, password, 'password')
  await refreshSession(context, actor, caller.session)
}
