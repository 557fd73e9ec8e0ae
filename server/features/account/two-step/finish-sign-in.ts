import { asUser, type UnitOfWork } from '../../../core/in-transaction.ts'
import { revokeFormerUnlessOwn } from '../../../core/sessions/revoke-session.ts'
import { startSession } from '../../../core/sessions/start-session.ts'
import { consumeToken } from '../../../core/single-use-tokens/single-use-tokens.ts'
import type { SecondStepChallenge } from '../../../core/two-step/challenge.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { deleteWaitingEmail, sendEmailUnlessLimited } from '../../../platform/mail/outbox.ts'
import type { Attempt, PreparedEmails, VerifiedSecondStep } from './attempt.ts'
import type { SignInSubject } from './subject.ts'

/** The transaction has locked the user. The actor of `unit` is that of the request, who may be another user. */
export async function finishSignIn(
  unit: UnitOfWork,
  { factor, formerToken, device }: Attempt,
  { user, challenge }: SignInSubject,
  { newDevice }: PreparedEmails,
): Promise<Omit<VerifiedSecondStep, 'trustToken'>> {
  await consumeSecondStepChallenge(unit, challenge)
  const replaced = await revokeFormerUnlessOwn(unit, user.id, formerToken, challenge.formerSessionId)
  const session = await startSession(asUser(unit, user.id), {
    userId: user.id,
    rememberMe: challenge.rememberMe,
    device,
    authenticationMethods: factor.authenticationMethods,
    method: 'password',
    replaced,
  })
  if (session.isOnAdditionalDevice) await sendEmailUnlessLimited(unit, { ...newDevice, recipient: user.email })
  return { user, session }
}

/** @throws ApiError INVALID_TWO_FACTOR_COOKIE when the challenge was consumed before */
export async function consumeSecondStepChallenge(
  { transaction, context }: UnitOfWork,
  { token, noticeId }: SecondStepChallenge,
): Promise<void> {
  if (!(await consumeToken(transaction, context.now(), 'second step', token)))
    throw new ApiError('INVALID_TWO_FACTOR_COOKIE')
  if (noticeId !== undefined) await deleteWaitingEmail(transaction, noticeId)
}
