import type { Kysely } from 'kysely'
import type { Caller } from '../../../core/access/caller.ts'
import { lockCaller } from '../../../core/sessions/lock-caller.ts'
import { lockTokenUserForUpdate } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { findSecondStepChallenge, type SecondStepChallenge } from '../../../core/two-step/challenge.ts'
import { hashToken } from '../../../platform/crypto/tokens.ts'
import type { Tables, UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

export type CodeTarget = { challengeToken: string } | { caller: Caller }

interface LockedUser {
  user: UserRow
  /** Names the sign-in or session, so that a mailed code works only where it was requested. */
  binding: string
}

export interface SessionSubject extends LockedUser {
  caller: Caller
  challenge?: undefined
}

export interface SignInSubject extends LockedUser {
  challenge: SecondStepChallenge
  caller?: undefined
}

export type CodeSubject = SessionSubject | SignInSubject

/** Concurrent verifications of one code wait for the lock. @throws ApiError INVALID_TWO_FACTOR_COOKIE; UNAUTHORIZED */
export async function lockSubject(transaction: Kysely<Tables>, now: number, target: CodeTarget): Promise<CodeSubject> {
  if ('caller' in target) {
    const { caller } = target
    return { user: await lockCaller(transaction, now, caller), caller, binding: caller.session.id }
  }
  const user = await lockTokenUserForUpdate(transaction, target.challengeToken)
  const challenge = user && (await findSecondStepChallenge(transaction, now, target.challengeToken))
  if (!challenge) throw new ApiError('INVALID_TWO_FACTOR_COOKIE')
  return { user, challenge, binding: hashToken(target.challengeToken) }
}
