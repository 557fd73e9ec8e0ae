import type { AuthorizedStaff } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { resetLink } from '../../../core/credentials/reset-link.ts'
import { inTransaction, prepareEmailFrom } from '../../../core/in-transaction.ts'
import { insertToken } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { isBanned } from '../../../core/users/banned.ts'
import { getUser } from '../../../core/users/find-user.ts'
import { lockManagedUser } from '../../../core/users/lock-managed-user.ts'
import { newToken } from '../../../platform/crypto/tokens.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail, sendEmailOrRefuse } from '../../../platform/mail/outbox.ts'
import { passwordLinkByStaffEmail } from './emails.ts'

/** @throws ApiError BANNED_USER; TOO_MANY_REQUESTS; the errors of `lockManagedUser` */
export async function sendPasswordLink(
  context: Context,
  actor: Actor,
  staff: AuthorizedStaff,
  userId: string,
): Promise<void> {
  const user = await getUser(context.database, userId)
  const token = newToken(context)
  const link = resetLink(context.config, token)
  const emailFor = prepareEmailFrom(user.email, (email) => prepareEmail(context, passwordLinkByStaffEmail(email, link)))
  await inTransaction(context, actor, async ({ transaction, record }) => {
    const target = await lockManagedUser(transaction, context, staff, userId)
    if (isBanned(target, context.now()))
      throw new ApiError('BANNED_USER', { message: 'Lift the ban first: no link works during a ban.' })
    await insertToken(transaction, context, 'reset password', token, { userId, data: {} })
    await sendEmailOrRefuse({ transaction, context }, emailFor(target.email))
    await record({ action: 'password.link-sent', subjectId: userId })
  })
}
