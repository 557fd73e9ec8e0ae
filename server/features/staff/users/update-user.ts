import type { AuthorizedStaff } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import { revokeTokensOfUser } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { changeProperties } from '../../../core/users/custom-properties.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import { lockManagedUser } from '../../../core/users/lock-managed-user.ts'
import { updateLockedUser } from '../../../core/users/store.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { isUniqueViolation } from '../../../platform/database/unique-violation.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail } from '../../../platform/mail/outbox.ts'
import { emailSetByStaffEmail } from './set-by-staff-email.ts'

/** Of the names in the audit log: staff choose those of custom properties. */
const FIELDS_LENGTH_MAXIMUM = 1_000

/** The fields of a user that staff may change here. */
interface UserChange {
  name?: string
  image?: string | null
  email?: string
  emailVerified?: boolean
  /** Null removes one. */
  properties: Record<string, unknown>
}

/**
 * Changes a user's name, picture, address or custom properties. Another address counts as proven only if staff say so in the same
 * request; it ends the person's sessions and open links, and the old address is told.
 * @throws ApiError NO_DATA_TO_UPDATE; VALIDATION_ERROR for custom properties; INVALID_EMAIL; YOU_ARE_NOT_ALLOWED_TO_SET_USERS_EMAIL for one's own;
 *   USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL; the reasons of `lockManagedUser`
 */
export async function updateUser(
  context: Context,
  actor: Actor,
  staff: AuthorizedStaff,
  userId: string,
  change: UserChange,
): Promise<UserRow> {
  const { properties, ...named } = change
  const fields = [...Object.keys(named), ...Object.keys(properties)]
  if (fields.length === 0) throw new ApiError('NO_DATA_TO_UPDATE', { field: 'data' })
  const touchesAddress = change.email !== undefined || change.emailVerified !== undefined
  if (touchesAddress && userId === staff.user.id) throw new ApiError('YOU_ARE_NOT_ALLOWED_TO_SET_USERS_EMAIL')
  const email = change.email === undefined ? undefined : parseEmailAddress(change.email, 'data.email')
  try {
    return await inTransaction(context, actor, async (unit) => {
      const { transaction } = unit
      const target = await lockManagedUser(transaction, context, staff, userId)
      const columns = columnsOf(change, email, target)
      // Before the sessions: whoever is just taking the same address is waited for.
      const changed = await updateLockedUser(transaction, userId, { ...columns, updatedAt: context.now() })
      if (email !== undefined && email !== target.email) await leaveAddress(unit, target, email)
      await unit.record({
        action: 'user.updated',
        subjectId: userId,
        details: { fields: fields.join(', ').slice(0, FIELDS_LENGTH_MAXIMUM) },
      })
      return changed
    })
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw new ApiError('USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL', { field: 'data.email' })
  }
}

function columnsOf(
  { name, image, emailVerified, properties }: UserChange,
  email: string | undefined,
  target: UserRow,
): Partial<UserRow> {
  const stillProven = email === undefined || email === target.email ? target.emailVerified : 0
  return {
    ...(name !== undefined && { name }),
    ...(image !== undefined && { image }),
    ...(email !== undefined && { email }),
    emailVerified: emailVerified === undefined ? stillProven : Number(emailVerified),
    properties: changeProperties(target.properties, properties),
  }
}

/** Whoever reads the old mailbox has nothing to do with the account any more, and is told why. */
async function leaveAddress(unit: UnitOfWork, target: UserRow, newEmail: string): Promise<void> {
  const { transaction, context } = unit
  await revokeSessionsOfUser(unit, target.id)
  await revokeTokensOfUser(transaction, target.id)
  await unit.send(prepareEmail(context, emailSetByStaffEmail({ recipient: target.email, newEmail })))
}
