import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { findUsableSecondStep, updateSecondStep } from '../../../core/two-step/store.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail, sendEmailOrRefuse } from '../../../platform/mail/outbox.ts'
import { assertNotLocked } from './assert-not-locked.ts'
import { secondStepCodeEmail } from './emails.ts'
import { createMailedCode, storedCode } from './mailed-code.ts'
import { type CodeTarget, lockSubject } from './subject.ts'

/**
 * A user of an authenticator app gets no code, because a mailbox alone must never open the account.
 * @throws ApiError OTP_NOT_ENABLED; ACCOUNT_TEMPORARILY_LOCKED; TOO_MANY_REQUESTS; as `lockSubject`
 */
export async function sendCode(context: Context, actor: Actor, target: CodeTarget): Promise<void> {
  const code = createMailedCode(context)
  const email = prepareEmail(context, secondStepCodeEmail('', code, { at: context.now(), ...actor }))
  await inTransaction(context, actor, async (unit) => {
    const { transaction, record } = unit
    const subject = await lockSubject(transaction, context.now(), target)
    const { user, binding } = subject
    const step = await findUsableSecondStep(transaction, context.now(), subject, 'otp')
    if (!step) throw new ApiError('OTP_NOT_ENABLED')
    await assertNotLocked(transaction, context.now(), user.id)
    await sendEmailOrRefuse(unit, { ...email, recipient: user.email })
    await updateSecondStep(transaction, step, storedCode(context, { userId: user.id, binding, code }))
    await record({ action: 'two-factor.code-sent', subjectId: user.id })
  })
}
