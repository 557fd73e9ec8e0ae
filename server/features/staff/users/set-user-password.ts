import type { AuthorizedStaff } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { getPersonalFacts } from '../../../core/credentials/get-personal-facts.ts'
import { parseNewPassword } from '../../../core/credentials/parse-password.ts'
import { passwordSetByStaffEmail } from '../../../core/credentials/password-set-email.ts'
import { setPasswordHash } from '../../../core/credentials/password-store.ts'
import { readRemainingAccess } from '../../../core/credentials/read-remaining-access.ts'
import { inTransaction, prepareEmailFrom } from '../../../core/in-transaction.ts'
import { revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import { revokeTokens } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { getUser } from '../../../core/users/find-user.ts'
import { lockManagedUser } from '../../../core/users/lock-managed-user.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail, sendEmailUnlessLimited } from '../../../platform/mail/outbox.ts'

/** @throws ApiError YOU_ARE_NOT_ALLOWED_TO_SET_USERS_PASSWORD; PASSWORD_…; the errors of `lockManagedUser` */
export async function setUserPassword(
  context: Context,
  actor: Actor,
  staff: AuthorizedStaff,
  { userId, newPassword }: { userId: string; newPassword: string },
): Promise<void> {
  if (userId === staff.user.id) throw new ApiError('YOU_ARE_NOT_ALLOWED_TO_SET_USERS_PASSWORD')
  const user = await getUser(context.database, userId)
  const facts = await getPersonalFacts(context.database, user)
  const password = await parseNewPassword(context.config, facts, newPassword, 'newPassword')
  const passwordHash = await context.passwords.hash(password)
  const access = await readRemainingAccess(context.database, userId)
  const emailFor = prepareEmailFrom({ email: user.email, ...access }, ({ email, ...rest }) =>
    prepareEmail(context, passwordSetByStaffEmail(email, context.config.baseUrl, { ...rest, isTwoStepOff: false })),
  )
  await inTransaction(context, actor, async (unit) => {
    const { transaction, record } = unit
    const target = await lockManagedUser(transaction, context, staff, userId)
    await setPasswordHash(transaction, context, userId, passwordHash)
    await revokeSessionsOfUser(unit, userId)
    // The former mailbox could undo the change of the email address, and then reset this password.
    await revokeTokens(transaction, userId, ['reset password', 'undo email change'])
    const remaining = await readRemainingAccess(transaction, userId)
    await sendEmailUnlessLimited(unit, emailFor({ email: target.email, ...remaining }))
    await record({ action: 'password.set', subjectId: userId })
  })
}
