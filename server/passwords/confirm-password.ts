import type { Actor } from '../audit/actor.ts'
import type { Context } from '../context.ts'
import type { UserRow } from '../database/tables.ts'
import { ApiError } from '../http/errors.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import { parsePassword } from './parse-password.ts'
import { findUserWithPassword } from './store.ts'

/**
 * Makes sure that whoever asks knows the user's password. Every endpoint that asks for it shares sign-in's budget of
 * guesses (CVE-2026-43914).
 * @param field of the request, for the error
 * @returns the password's hash
 * @throws ApiError INVALID_PASSWORD; CREDENTIAL_ACCOUNT_NOT_FOUND when there is none; PASSWORD_TOO_LONG; TOO_MANY_REQUESTS
 */
export async function confirmPassword(
  context: Context,
  rateLimits: RateLimits,
  actor: Actor,
  { id, email }: UserRow,
  text: string,
  field: string,
): Promise<string> {
  const password = parsePassword(text, field)
  await rateLimits.spendPasswordGuess(email)
  const found = await findUserWithPassword(context.database, email)
  if (!found?.passwordHash) throw new ApiError('CREDENTIAL_ACCOUNT_NOT_FOUND')
  if (!(await context.passwords.verify(found.passwordHash, password))) {
    context.repeatedEvents.add(actor, { action: 'password.guess-failed', subjectId: id })
    throw new ApiError('INVALID_PASSWORD', { field })
  }
  await rateLimits.restorePasswordGuesses(email)
  return found.passwordHash
}
