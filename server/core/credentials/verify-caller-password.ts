import { ApiError } from '../../platform/http/errors.ts'
import type { Caller } from '../access/caller.ts'
import type { Actor } from '../audit/actor.ts'
import type { Context } from '../context.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import { parsePassword } from './parse-password.ts'
import { budgetsOfSession } from './password-budgets.ts'
import { findPasswordHash, replacePasswordHash } from './password-store.ts'

/**
 * A wrong password counts against sign-in too (CVE-2026-43914).
 * @returns the hash of the password
 * @throws ApiError INVALID_PASSWORD; CREDENTIAL_ACCOUNT_NOT_FOUND; PASSWORD_TOO_LONG; TOO_MANY_REQUESTS
 */
export async function verifyCallerPassword(
  context: Context,
  rateLimits: RateLimits,
  actor: Actor,
  { user, session }: Caller,
  text: string,
  field: string,
): Promise<string> {
  const password = parsePassword(text, field)
  const passwordHash = await findPasswordHash(context.database, user.id)
  if (!passwordHash) throw new ApiError('CREDENTIAL_ACCOUNT_NOT_FOUND')
  const budgets = budgetsOfSession(context.config, session.id, user.email)
  if (!(await rateLimits.tryPassword(budgets, () => context.passwords.verify(passwordHash, password)))) {
    context.repeatedEvents.add(actor, { action: 'password.guess-failed', subjectId: user.id })
    throw new ApiError('INVALID_PASSWORD', { field })
  }
  return context.passwords.needsRenewal(passwordHash) ? renew(context, user.id, passwordHash, password) : passwordHash
}

/** A user with an imported hash may have signed in with a passkey, so sign-in has not renewed it. */
async function renew(
  { database, passwords }: Context,
  userId: string,
  oldHash: string,
  password: string,
): Promise<string> {
  const newHash = await passwords.hash(password)
  return (await replacePasswordHash(database, userId, oldHash, { newHash })) ? newHash : oldHash
}
