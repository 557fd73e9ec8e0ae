import type { Actor } from '../audit/actor.ts'
import type { Context } from '../context.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import { rotateSession } from '../sessions/rotate-session.ts'
import type { NewSession } from '../sessions/start-session.ts'
import { confirmPassword } from './confirm-password.ts'

/**
 * Makes the caller's session fresh again, under a new token.
 * @throws ApiError UNAUTHORIZED where the session was revoked or got another token meanwhile; as `confirmPassword`
 */
export async function verifyPassword(
  context: Context,
  rateLimits: RateLimits,
  actor: Actor,
  caller: Caller,
  password: string,
): Promise<NewSession> {
  await confirmPassword(context, rateLimits, actor, caller, password, 'password')
  const rotated = await context.database
    .transaction()
    .execute((transaction) => rotateSession(transaction, context, actor, caller))
  if (!rotated) throw new ApiError('UNAUTHORIZED')
  return rotated
}
