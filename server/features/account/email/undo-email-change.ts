import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { resetLink } from '../../../core/credentials/reset-link.ts'
import { asUser, inTransaction, prepareEmailFrom } from '../../../core/in-transaction.ts'
import {
  consumeToken,
  findUsableToken,
  insertToken,
  lockTokenUserForUpdate,
} from '../../../core/single-use-tokens/single-use-tokens.ts'
import { updateVerifiedEmail } from '../../../core/users/store.ts'
import { newToken } from '../../../platform/crypto/tokens.ts'
import type { SecondStepMethod } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail } from '../../../platform/mail/outbox.ts'
import { emailChangeUndoneEmail, emailRestoredEmail } from './emails.ts'
import { deleteCredentials, endTwoStep, recoverUser } from './recover-user.ts'
import { deleteLaterRecoveryCodes, findUndoneStep, revokeUndoLinksFrom, type UndoneStep } from './undo-links.ts'

/**
 * A second step from before the change stays: the earlier mailbox alone must not open the account.
 * @throws ApiError INVALID_TOKEN; EMAIL_ALREADY_IN_USE when another user has the address now
 */
export async function undoEmailChange(context: Context, actor: Actor, token: string): Promise<void> {
  const { config, database, now } = context
  const found = await findUsableToken(database, now(), 'undo email change', token)
  if (!found) throw new ApiError('INVALID_TOKEN', { field: 'token' })
  const { oldEmail } = found.data
  const resetToken = newToken(context)
  const link = resetLink(config, resetToken)
  const circumstances = { at: now(), ...actor }
  const undoneStep = await findUndoneStep(database, found)
  const emailFor = prepareEmailFrom(describeStep(undoneStep), (secondStep) =>
    prepareEmail(context, emailRestoredEmail(oldEmail, link, secondStep, circumstances)),
  )
  const undoneEmail = prepareEmail(context, emailChangeUndoneEmail(''))

  await inTransaction(context, actor, async (unit) => {
    const { transaction, send } = unit
    const user = await lockTokenUserForUpdate(transaction, token)
    if (!user || !(await consumeToken(transaction, now(), 'undo email change', token)))
      throw new ApiError('INVALID_TOKEN', { field: 'token' })
    const ownUnit = asUser(unit, user.id)
    const restored = await updateVerifiedEmail(transaction, user.id, oldEmail, now())
    await recoverUser(ownUnit, restored)
    await revokeUndoLinksFrom(transaction, user.id, found)
    await deleteCredentials(ownUnit, user.id)
    const step = await findUndoneStep(transaction, found)
    if (!step.earlier) await endTwoStep(ownUnit, restored)
    const deletedRecoveryCodes = step.earlier ? await deleteLaterRecoveryCodes(transaction, step.earlier, found) : 0
    await insertToken(transaction, context, 'reset password', resetToken, { userId: user.id, data: {} })
    await send(emailFor(describeStep(step)))
    if (user.email !== oldEmail) await send({ ...undoneEmail, recipient: user.email, subjectId: user.id })
    const details = { ...(deletedRecoveryCodes > 0 && { deletedRecoveryCodes }) }
    await ownUnit.record({ action: 'email.change-undone', subjectId: user.id, details })
  })
}

function describeStep({ earlier, isOff }: UndoneStep): SecondStepMethod | 'off' | undefined {
  return isOff ? 'off' : earlier?.method
}
