import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { lockCaller } from '../../../core/sessions/lock-caller.ts'
import { replaceRecoveryCodes } from '../../../core/two-step/recovery-code-store.ts'
import { findVerifiedSecondStep } from '../../../core/two-step/store.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail, sendEmailUnlessLimited } from '../../../platform/mail/outbox.ts'
import { recoveryCodesCreatedEmail } from './emails.ts'
import { reauthenticate } from './reauthenticate.ts'
import { createRecoveryCodes, hashRecoveryCode } from './recovery-codes.ts'

/** @throws ApiError TWO_FACTOR_NOT_ENABLED; UNAUTHORIZED; as `reauthenticate` */
export async function generateRecoveryCodes(
  context: Context,
  rateLimits: RateLimits,
  actor: Actor,
  caller: Caller,
  password: string | undefined,
): Promise<string[]> {
  await reauthenticate(context, rateLimits, actor, caller, password)
  const codes = createRecoveryCodes(context)
  const circumstances = { at: context.now(), ...actor }
  const email = prepareEmail(context, recoveryCodesCreatedEmail(context.config.baseUrl, circumstances))
  await inTransaction(context, actor, async (unit) => {
    const { transaction, record } = unit
    const user = await lockCaller(transaction, context.now(), caller)
    const step = await findVerifiedSecondStep(transaction, user.id)
    if (!step) throw new ApiError('TWO_FACTOR_NOT_ENABLED')
    await replaceRecoveryCodes(transaction, step, codes.map(hashRecoveryCode))
    await record({ action: 'recovery-codes.created', subjectId: user.id, details: { method: step.method } })
    await sendEmailUnlessLimited(unit, { ...email, recipient: user.email })
  })
  return codes
}
