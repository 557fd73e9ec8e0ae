import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { asUser, prepareEmailFrom } from '../../../core/in-transaction.ts'
import type { NewSession } from '../../../core/sessions/start-session.ts'
import { findSecondStepChallenge } from '../../../core/two-step/challenge.ts'
import { countRecoveryCodes } from '../../../core/two-step/recovery-code-store.ts'
import { findVerifiedSecondStep } from '../../../core/two-step/store.ts'
import { prepareEmail } from '../../../platform/mail/outbox.ts'
import type { Attempt, VerifiedSecondStep } from './attempt.ts'
import { recoveryCodeUsedEmail } from './emails.ts'
import { RECOVERY_CODE } from './factors.ts'
import { consumeSecondStepChallenge } from './finish-sign-in.ts'
import type { CodeTarget } from './subject.ts'
import { completeVerification, recordVerified, withRightCode } from './verify-code.ts'

interface RecoveryAttempt extends Omit<Attempt, 'factor'> {
  /** False with `disableSession`: the code is used up, but starts no session. */
  startsSession: boolean
}

export interface Recovered extends Omit<VerifiedSecondStep, 'session'> {
  session: NewSession | undefined
  remainingCount: number
}

/** @throws ApiError as `withRightCode` */
export async function verifyRecoveryCode(
  context: Context,
  actor: Actor,
  { startsSession, ...given }: RecoveryAttempt,
): Promise<Recovered> {
  const attempt = { ...given, factor: RECOVERY_CODE }
  const circumstances = { at: context.now(), ...actor }
  const emailFor = prepareEmailFrom(await countAfterUse(context, attempt.target), (count) =>
    prepareEmail(context, recoveryCodeUsedEmail(count, context.config.baseUrl, circumstances)),
  )
  return withRightCode(context, actor, attempt, async (unit, subject, emails) => {
    const { user, challenge } = subject
    const step = await findVerifiedSecondStep(unit.transaction, user.id)
    const remainingCount = step ? await countRecoveryCodes(unit.transaction, step) : 0
    const ownUnit = asUser(unit, user.id)
    await ownUnit.record({ action: 'recovery-code.used', subjectId: user.id, details: { remaining: remainingCount } })
    await unit.send({ ...emailFor(remainingCount), recipient: user.email })
    if (startsSession) return { ...(await completeVerification(unit, attempt, subject, emails)), remainingCount }
    if (challenge) await consumeSecondStepChallenge(unit, challenge)
    await recordVerified(ownUnit, user.id, attempt)
    return { user, session: undefined, trustToken: undefined, remainingCount }
  })
}

async function countAfterUse({ database, now }: Context, target: CodeTarget): Promise<number> {
  const userId =
    'caller' in target
      ? target.caller.user.id
      : (await findSecondStepChallenge(database, now(), target.challengeToken))?.userId
  const step = userId === undefined ? undefined : await findVerifiedSecondStep(database, userId)
  return step ? (await countRecoveryCodes(database, step)) - 1 : 0
}
