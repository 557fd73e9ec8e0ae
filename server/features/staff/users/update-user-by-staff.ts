import type { AuthorizedStaff } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, prepareEmailFrom } from '../../../core/in-transaction.ts'
import { revokeImpersonationsOf, revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import { revokeAllTokensOfUser, revokeTokens } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { changeProperties, joinFieldNames } from '../../../core/users/custom-properties.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import { findUser } from '../../../core/users/find-user.ts'
import { lockManagedUser } from '../../../core/users/lock-managed-user.ts'
import { updateLockedUser } from '../../../core/users/store.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { isUniqueViolation } from '../../../platform/database/unique-violation.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail, sendEmailUnlessLimited } from '../../../platform/mail/outbox.ts'
import { emailSetByStaffEmail, unverifiedEmailSetByStaffEmail } from './emails.ts'

interface UserChange {
  name?: string
  image?: string | null
  email?: string
  emailVerified?: boolean
  /** Null removes a property. */
  properties: Record<string, unknown>
}

/**
 * A new email address is unverified unless the same request says otherwise.
 * @throws ApiError NO_DATA_TO_UPDATE; VALIDATION_ERROR for custom properties; INVALID_EMAIL; USER_HAS_TWO_FACTOR;
 *   YOU_ARE_NOT_ALLOWED_TO_SET_USERS_EMAIL; USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL; the errors of `lockManagedUser`
 */
export async function updateUserByStaff(
  context: Context,
  actor: Actor,
  staff: AuthorizedStaff,
  userId: string,
  change: UserChange,
): Promise<UserRow> {
  const { properties, ...named } = change
  const fields = [...Object.keys(named), ...Object.keys(properties)]
  if (fields.length === 0) throw new ApiError('NO_DATA_TO_UPDATE', { field: 'data' })
  const changesEmail = change.email !== undefined || change.emailVerified !== undefined
  if (changesEmail && userId === staff.user.id) throw new ApiError('YOU_ARE_NOT_ALLOWED_TO_SET_USERS_EMAIL')
  const email = change.email === undefined ? undefined : parseEmailAddress(change.email, 'data.email')
  const noticeFor = email === undefined ? undefined : await prepareNotice(context, userId, email)
  return inTransaction(context, actor, async (unit) => {
    const { transaction, record } = unit
    const target = await lockManagedUser(transaction, context, staff, userId)
    const { email: oldEmail, emailVerified } = target
    const columns = columnsOf(change, email, target)
    assertKeepsTwoStep(target, columns)
    // Before the sessions are locked: this statement waits for a concurrent transaction that takes the same address.
    const updated = await updateLockedUser(transaction, userId, { ...columns, updatedAt: context.now() })
    // A verified address gives permissions: to accept invitations, to get tokens, to act as staff.
    const isChanged = updated.emailVerified !== target.emailVerified || email !== undefined
    const verification = isChanged ? { emailVerified: updated.emailVerified === 1 } : {}
    if (noticeFor && email !== oldEmail) {
      await revokeSessionsOfUser(unit, userId)
      await revokeAllTokensOfUser(transaction, userId)
      await sendEmailUnlessLimited(unit, { ...noticeFor({ email: oldEmail, emailVerified }), subjectId: userId })
      await record({ action: 'email.changed', subjectId: userId, details: verification })
    } else if (updated.emailVerified < target.emailVerified) {
      // Staff with an unverified address may not impersonate. The sessions would work again after a verification.
      await revokeImpersonationsOf(unit, userId)
    } else if (updated.emailVerified > target.emailVerified) {
      await revokeTokens(transaction, userId, ['verify email'])
    }
    const details = { fields: joinFieldNames(fields), ...verification }
    await record({ action: 'user.updated', subjectId: userId, details })
    return updated
  }).catch((error: unknown) => {
    if (!isUniqueViolation(error)) throw error
    throw new ApiError('USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL', { field: 'data.email' })
  })
}

/**
 * The mailbox of an unverified address opens an account without its second step, because a stranger may have created
 * both. Staff may mistype the address, so the second step of a verified user must stay.
 */
function assertKeepsTwoStep(target: UserRow, { emailVerified }: Partial<UserRow>): void {
  if (target.twoFactorEnabled === 1 && target.emailVerified === 1 && emailVerified === 0)
    throw new ApiError('USER_HAS_TWO_FACTOR', { field: 'data.emailVerified' })
}

/** @returns a function that gets the former email address from the locked row and returns the notice for it */
async function prepareNotice(context: Context, userId: string, newEmail: string) {
  const { email = '', emailVerified = 0 } = (await findUser(context.database, userId)) ?? {}
  return prepareEmailFrom({ email, emailVerified }, (former) =>
    prepareEmail(
      context,
      former.emailVerified === 1
        ? emailSetByStaffEmail(former.email, newEmail)
        : unverifiedEmailSetByStaffEmail(former.email),
    ),
  )
}

function columnsOf(
  { name, image, emailVerified, properties }: UserChange,
  email: string | undefined,
  target: UserRow,
): Partial<UserRow> {
  const stillVerified = email === undefined || email === target.email ? target.emailVerified : 0
  return {
    ...(name !== undefined && { name }),
    ...(image !== undefined && { image }),
    ...(email !== undefined && { email }),
    emailVerified: emailVerified === undefined ? stillVerified : Number(emailVerified),
    properties: changeProperties(target.properties, properties),
  }
}
