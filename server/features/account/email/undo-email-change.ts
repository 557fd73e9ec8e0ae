import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { consumeToken, createToken, revokeLaterTokens } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { lockTokenOwner } from '../../../core/users/lock-user.ts'
import { saveEmail } from '../../../core/users/store.ts'
import { isUniqueViolation } from '../../../platform/database/unique-violation.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail } from '../../../platform/mail/outbox.ts'
import { deleteCredentials } from './delete-credentials.ts'
import { emailRestoredEmail } from './emails.ts'
import { recoverUser } from './recover-user.ts'

/**
 * Gives the account back to the owner of its earlier address, whatever was changed since: all sessions end, password and
 * passkeys no longer work, later links to undo a change neither, and a link to set a new password is mailed.
 * @throws ApiError INVALID_TOKEN; EMAIL_ALREADY_IN_USE when another account has the address by now
 */
export async function undoEmailChange(context: Context, actor: Actor, token: string): Promise<void> {
  const { config, now } = context
  try {
    await inTransaction(context, actor, async (unit) => {
      const { transaction } = unit
      const owner = await lockTokenOwner(transaction, token)
      const used = owner && (await consumeToken(transaction, now(), 'undo email change', token))
      if (!used) throw new ApiError('INVALID_TOKEN', { field: 'token' })
      const userId = owner.id
      const { oldEmail } = used.data as { oldEmail: string }
      const restored = await saveEmail(transaction, userId, oldEmail, now())
      await recoverUser(unit, restored)
      await revokeLaterTokens(transaction, userId, 'undo email change', used.createdAt)
      await deleteCredentials(transaction, userId)
      const resetToken = await createToken(transaction, context, 'reset password', { userId, data: {} })
      const link = `${config.baseUrl}/reset-password#token=${resetToken}`
      await unit.send(prepareEmail(context, emailRestoredEmail(oldEmail, link, { at: now(), ...actor })))
      await unit.record({ action: 'email.change-undone', subjectId: userId })
    })
  } catch (error) {
    throw isUniqueViolation(error) ? new ApiError('EMAIL_ALREADY_IN_USE', { cause: error }) : error
  }
}
