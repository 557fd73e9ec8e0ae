import type { AuthorizedStaff } from '../../../core/access/access.ts'
import { type Actor, OPERATOR } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, prepareEmailFrom, type UnitOfWork } from '../../../core/in-transaction.ts'
import { revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import { removeTwoStep } from '../../../core/two-step/remove-two-step.ts'
import { findSecondStep } from '../../../core/two-step/store.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import { findUserByEmail, getUser } from '../../../core/users/find-user.ts'
import { lockManagedUser } from '../../../core/users/lock-managed-user.ts'
import { lockUserByEmailForUpdate } from '../../../core/users/lock-user.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { type PreparedEmail, prepareEmail } from '../../../platform/mail/outbox.ts'
import { twoStepResetEmail } from './emails.ts'

/** The reason is for the audit log. Users never see it. */
interface Reset {
  reason: string
  emailFor: (recipient: string) => PreparedEmail
}

/** @throws ApiError YOU_CANNOT_RESET_YOUR_OWN_TWO_FACTOR; TWO_FACTOR_NOT_ENABLED; the errors of `lockManagedUser` */
export async function resetTwoStep(
  context: Context,
  actor: Actor,
  staff: AuthorizedStaff,
  { userId, reason }: { userId: string; reason: string },
): Promise<void> {
  if (userId === staff.user.id) throw new ApiError('YOU_CANNOT_RESET_YOUR_OWN_TWO_FACTOR', { field: 'userId' })
  const user = await getUser(context.database, userId)
  const emailFor = prepareResetEmail(context, user)
  await inTransaction(context, actor, async (unit) => {
    const target = await lockManagedUser(unit.transaction, context, staff, userId)
    if (target.twoFactorEnabled === 0) throw notEnabled('userId')
    await reset(unit, target, { reason, emailFor })
  })
}

/** Works without another administrator. @throws ApiError INVALID_EMAIL; USER_NOT_FOUND; TWO_FACTOR_NOT_ENABLED */
export async function resetTwoStepOfEmail(
  context: Context,
  { email, reason }: { email: string; reason: string },
): Promise<string> {
  const user = await findUserByEmail(context.database, parseEmailAddress(email))
  if (!user) throw new ApiError('USER_NOT_FOUND', { field: 'email' })
  const emailFor = prepareResetEmail(context, user)
  return inTransaction(context, OPERATOR, async (unit) => {
    const target = await lockUserByEmailForUpdate(unit.transaction, user.email)
    if (target?.id !== user.id) throw new ApiError('USER_NOT_FOUND', { field: 'email' })
    // The damaged secret of a pending setup stops a rotation of SECRET, so the operator can delete it too.
    const hasPending = (await findSecondStep(unit.transaction, target.id, 'totp')) !== undefined
    if (target.twoFactorEnabled === 0 && !hasPending) throw notEnabled('email')
    await reset(unit, target, { reason, emailFor })
    return target.email
  })
}

async function reset(unit: UnitOfWork, user: UserRow, { reason, emailFor }: Reset): Promise<void> {
  await revokeSessionsOfUser(unit, user.id)
  await removeTwoStep(unit, user.id)
  await unit.send(emailFor(user.email))
  await unit.record({ action: 'two-factor.reset', subjectId: user.id, details: { reason } })
}

function prepareResetEmail(context: Context, { email }: UserRow): Reset['emailFor'] {
  const { baseUrl } = context.config
  return prepareEmailFrom(email, (recipient) => prepareEmail(context, twoStepResetEmail(recipient, baseUrl)))
}

function notEnabled(field: string): ApiError {
  return new ApiError('TWO_FACTOR_NOT_ENABLED', { field, message: 'This user has no two-step verification to reset.' })
}
