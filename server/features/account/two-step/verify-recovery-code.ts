import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { prepareEmailFrom } from '../../../core/in-transaction.ts'
import { findChallenge } from '../../../core/two-step/challenge.ts'
import { countRecoveryCodes, findVerifiedStep } from '../../../core/two-step/store.ts'
import { prepareEmail } from '../../../platform/mail/outbox.ts'
import type { Attempt, Verified } from './attempt.ts'
import { recoveryCodeUsedEmail } from './emails.ts'
import { RECOVERY_CODE } from './factors.ts'
import type { CodeTarget } from './subject.ts'
import { verifyCode } from './verify-code.ts'

/**
 * Verifies a recovery code, which replaces every other code once. The user is told by email how many are left.
 * @throws ApiError as `verifyCode`
 */
export async function verifyRecoveryCode(
  context: Context,
  actor: Actor,
  attempt: Omit<Attempt, 'factor'>,
): Promise<Verified & { remainingCount: number }> {
  let remainingCount = 0
  const circumstances = { at: context.now(), ...actor }
  const emailFor = prepareEmailFrom(await countAfterUse(context, attempt.target), (count) =>
    prepareEmail(context, recoveryCodeUsedEmail(count, context.config.baseUrl, circumstances)),
  )
  const verified = await verifyCode(context, actor, { ...attempt, factor: RECOVERY_CODE }, async (unit, { user }) => {
    const step = await findVerifiedStep(unit.transaction, user.id)
    remainingCount = step ? await countRecoveryCodes(unit.transaction, step) : 0
    await unit.record({ action: 'recovery-code.used', subjectId: user.id, details: { remaining: remainingCount } })
    await unit.send({ ...emailFor(remainingCount), recipient: user.email })
  })
  return { ...verified, remainingCount }
}

async function countAfterUse({ database, now }: Context, target: CodeTarget): Promise<number> {
  const userId =
    'caller' in target ? target.caller.user.id : (await findChallenge(database, now(), target.challengeToken))?.userId
  const step = userId === undefined ? undefined : await findVerifiedStep(database, userId)
  return step ? (await countRecoveryCodes(database, step)) - 1 : 0
}
