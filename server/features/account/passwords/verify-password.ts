import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { verifyCallerPassword } from '../../../core/credentials/verify-caller-password.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { rotateSession } from '../../../core/sessions/rotate-session.ts'
import type { NewSession } from '../../../core/sessions/start-session.ts'

/** @throws ApiError UNAUTHORIZED when the session is revoked or refreshed concurrently; as `verifyCallerPassword` */
export async function verifyPassword(
  context: Context,
  rateLimits: RateLimits,
  actor: Actor,
  caller: Caller,
  password: string,
): Promise<NewSession> {
  await verifyCallerPassword(context, rateLimits, actor, caller, password, 'password')
  return inTransaction(context, actor, (unit) => rotateSession(unit, caller))
}
