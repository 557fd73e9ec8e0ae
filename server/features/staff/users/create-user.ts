import { parseServiceRole } from '../../../core/access/staff-permissions.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { parseNewPassword } from '../../../core/credentials/parse-password.ts'
import { setPasswordHash } from '../../../core/credentials/password-store.ts'
import { inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { createToken } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { createUser as addUser } from '../../../core/users/create-user.ts'
import { changeProperties } from '../../../core/users/custom-properties.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail } from '../../../platform/mail/outbox.ts'
import { accountCreatedEmail } from './emails.ts'

interface TestUser {
  name: string
  email: string
  password?: string
  role: string
  image?: string
  emailVerified?: boolean
  properties: Record<string, unknown>
}

/**
 * Makes an account for somebody. Without a password they get a link to choose one.
 * @throws ApiError INVALID_EMAIL; VALIDATION_ERROR for custom properties; YOU_ARE_NOT_ALLOWED_TO_SET_NON_EXISTENT_VALUE; PASSWORD_…;
 *   USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL
 */
export async function createUser(context: Context, actor: Actor, person: TestUser): Promise<UserRow> {
  const { name, image, password, emailVerified = false } = person
  const role = parseServiceRole(person.role)
  const email = parseEmailAddress(person.email)
  const properties = changeProperties('{}', person.properties)
  const passwordHash =
    password === undefined
      ? undefined
      : await context.passwords.hash(
          await parseNewPassword(context.config, { email, name, organizationNames: [] }, password),
        )

  return inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const newUser = { name, email, emailVerified, role, properties, ...(image !== undefined && { image }) }
    const user = await addUser(unit, newUser).catch((error: unknown) => {
      const isTaken = error instanceof ApiError && error.code === 'USER_ALREADY_EXISTS'
      throw isTaken ? new ApiError('USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL', { field: 'email' }) : error
    })
    if (passwordHash) await setPasswordHash(transaction, context, user.id, passwordHash)
    else await sendPasswordLink(unit, user)
    return user
  })
}

async function sendPasswordLink({ transaction, context, send }: UnitOfWork, user: UserRow): Promise<void> {
  const token = await createToken(transaction, context, 'reset password', { userId: user.id, data: {} })
  const { baseUrl } = context.config
  const message = accountCreatedEmail({
    recipient: user.email,
    name: user.name,
    link: `${baseUrl}/reset-password#token=${token}`,
  })
  await send(prepareEmail(context, message))
}
