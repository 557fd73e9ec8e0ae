import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { prepareNewDeviceEmail } from '../../../core/devices/new-device-email.ts'
import { trustDevice } from '../../../core/devices/trusted-device.ts'
import { asUser, inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { addFailureToChallenge, isUsedUp } from '../../../core/two-step/challenge.ts'
import { countFailure } from '../../../core/two-step/failures.ts'
import { deleteFailures } from '../../../core/two-step/store.ts'
import { ApiError, type ErrorCode } from '../../../platform/http/errors.ts'
import { prepareEmail, sendEmailUnlessLimited } from '../../../platform/mail/outbox.ts'
import { assertNotLocked } from './assert-not-locked.ts'
import { assertSameSetup } from './assert-same-setup.ts'
import type { Attempt, PreparedEmails, VerifiedSecondStep } from './attempt.ts'
import { continueSession } from './continue-session.ts'
import { secondStepLockedEmail, twoStepEnabledEmail } from './emails.ts'
import { finishSignIn } from './finish-sign-in.ts'
import { type CodeSubject, lockSubject } from './subject.ts'

interface Refusal {
  refusal: ErrorCode
}

/** Continues the transaction of a right code. Its actor is that of the request. */
type OnRightCode<Result> = (unit: UnitOfWork, subject: CodeSubject, emails: PreparedEmails) => Promise<Result>

/** @throws ApiError as `withRightCode` */
export function verifyCode(context: Context, actor: Actor, attempt: Attempt): Promise<VerifiedSecondStep> {
  return withRightCode(context, actor, attempt, (unit, subject, emails) =>
    completeVerification(unit, attempt, subject, emails),
  )
}

/**
 * The error follows the transaction, which must commit the count of wrong codes.
 * @throws ApiError INVALID_CODE; INVALID_BACKUP_CODE; …_NOT_ENABLED; OTP_HAS_EXPIRED; ACCOUNT_TEMPORARILY_LOCKED;
 *   TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE; as `lockSubject` and `assertSameSetup`
 */
export async function withRightCode<Result>(
  context: Context,
  actor: Actor,
  attempt: Pick<Attempt, 'factor' | 'code' | 'target' | 'expectedCreatedAt'>,
  onRightCode: OnRightCode<Result>,
): Promise<Result> {
  const emails = prepareEmails(context, actor, attempt)
  const outcome = await inTransaction(context, actor, async (unit): Promise<{ result: Result } | Refusal> => {
    const subject = await lockSubject(unit.transaction, context.now(), attempt.target)
    await assertNotLocked(unit.transaction, context.now(), subject.user.id)
    await assertSameSetup(unit.transaction, subject.user.id, attempt)
    const refusal = await tryCode(unit, attempt, subject, emails)
    if (refusal) return { refusal }
    await deleteFailures(unit.transaction, subject.user.id)
    return { result: await onRightCode(unit, subject, emails) }
  })
  if ('refusal' in outcome) throw new ApiError(outcome.refusal, { field: 'code' })
  return outcome.result
}

/** @returns undefined for a right code */
async function tryCode(
  unit: UnitOfWork,
  { factor, code }: Pick<Attempt, 'factor' | 'code'>,
  subject: CodeSubject,
  emails: PreparedEmails,
): Promise<ErrorCode | undefined> {
  const { user, challenge } = subject
  if (challenge && isUsedUp(challenge)) return 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE'
  const verdict = await factor.verify(unit, subject, code)
  if (verdict === 'right') return undefined
  if (verdict === 'used') return factor.wrongCode
  if (verdict !== 'wrong') return verdict
  if (challenge) await addFailureToChallenge(unit.transaction, challenge)
  await unit.record({ action: 'two-factor.failed', subjectId: user.id, details: { method: factor.name } })
  if (await countFailure(unit.transaction, user.id, unit.context.now())) {
    await unit.record({ action: 'two-factor.locked', subjectId: user.id })
    await sendEmailUnlessLimited(unit, { ...emails.locked, recipient: user.email })
  }
  return factor.wrongCode
}

/** @param unit with the actor of the request */
export async function completeVerification(
  unit: UnitOfWork,
  attempt: Attempt,
  subject: CodeSubject,
  emails: PreparedEmails,
): Promise<VerifiedSecondStep> {
  const ownUnit = asUser(unit, subject.user.id)
  const { user, session } = subject.challenge
    ? await finishSignIn(unit, attempt, subject, emails)
    : await continueSession(ownUnit, attempt, subject, emails)
  await recordVerified(ownUnit, user.id, attempt)
  const trustToken = attempt.trustDevice ? await trustDevice(ownUnit, user.id, attempt.formerTrustToken) : undefined
  return { user, session, trustToken }
}

export function recordVerified(
  { record }: UnitOfWork,
  userId: string,
  { factor }: Pick<Attempt, 'factor'>,
): Promise<void> {
  return record({ action: 'two-factor.verified', subjectId: userId, details: { method: factor.name } })
}

function prepareEmails(context: Context, actor: Actor, { factor }: Pick<Attempt, 'factor'>): PreparedEmails {
  const { baseUrl } = context.config
  const circumstances = { at: context.now(), ...actor }
  return {
    enabled: prepareEmail(context, twoStepEnabledEmail(factor.method ?? 'totp', baseUrl, circumstances)),
    locked: prepareEmail(context, secondStepLockedEmail(baseUrl, circumstances)),
    newDevice: prepareNewDeviceEmail(context, actor),
  }
}
