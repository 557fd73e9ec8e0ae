import type { AuthorizedStaff } from '../../../core/access/access.ts'
import { parseServiceRole } from '../../../core/access/staff-permissions.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { parseNewPassword } from '../../../core/credentials/parse-password.ts'
import { setPasswordHash } from '../../../core/credentials/password-store.ts'
import { resetLink } from '../../../core/credentials/reset-link.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { insertToken } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { createUser } from '../../../core/users/create-user.ts'
import { changeProperties } from '../../../core/users/custom-properties.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import { lockStaffForShare } from '../../../core/users/lock-managed-user.ts'
import { newToken } from '../../../platform/crypto/tokens.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail } from '../../../platform/mail/outbox.ts'
import { accountCreatedEmail } from './emails.ts'

interface NewUser {
  name: string
  email: string
  password?: string
  role: string
  image?: string
  emailVerified?: boolean
  properties: Record<string, unknown>
}

/**
 * @throws ApiError INVALID_EMAIL; VALIDATION_ERROR for custom properties; PASSWORD_…; as `lockStaffForShare`;
 *   YOU_ARE_NOT_ALLOWED_TO_SET_NON_EXISTENT_VALUE; USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL
 */
export async function createUserByStaff(
  context: Context,
  actor: Actor,
  staff: AuthorizedStaff,
  input: NewUser,
): Promise<UserRow> {
  const { name, image, password, emailVerified = false } = input
  const role = parseServiceRole(input.role)
  const email = parseEmailAddress(input.email)
  const properties = changeProperties('{}', input.properties)
  const passwordHash =
    password === undefined
      ? undefined
      : await context.passwords.hash(
          await parseNewPassword(context.config, { email, name, organizationNames: [] }, password),
        )
  const token = newToken(context)
  const link = resetLink(context.config, token)
  const welcome =
    password === undefined ? prepareEmail(context, accountCreatedEmail({ recipient: email, name, link })) : undefined

  return inTransaction(context, actor, async (unit) => {
    // Hashing a password is slow: staff who are banned or demoted in that time must create no user.
    await lockStaffForShare(unit.transaction, context, staff)
    const given = { name, email, emailVerified, role, properties, ...(image !== undefined && { image }) }
    const user = await createUser(unit, { ...given, origin: 'staff' }).catch((error: unknown) => {
      const isTaken = error instanceof ApiError && error.code === 'USER_ALREADY_EXISTS'
      throw isTaken ? new ApiError('USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL', { field: 'email' }) : error
    })
    if (passwordHash) await setPasswordHash(unit.transaction, context, user.id, passwordHash)
    if (welcome) {
      await insertToken(unit.transaction, context, 'reset password', token, { userId: user.id, data: {} })
      await unit.send(welcome)
    }
    return user
  })
}
