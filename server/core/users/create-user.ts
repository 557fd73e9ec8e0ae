import { newId } from '../../platform/crypto/tokens.ts'
import type { ServiceRole, UserRow } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { asUser, type UnitOfWork } from '../in-transaction.ts'
import { NOT_BANNED } from './banned.ts'
import { joinFieldNames } from './custom-properties.ts'
import { insertUser } from './store.ts'

export interface NewUser {
  /** Set when a passkey was created before the user. */
  id?: string
  name: string
  /** From `parseEmailAddress`. */
  email: string
  emailVerified: boolean
  image?: string
  role?: ServiceRole
  /** From `changeProperties`. */
  properties?: string
  origin: 'invitation' | 'staff' | 'setup' | 'command line'
}

/** With these origins, the new user is the actor of the event, and not another user of the same browser. */
const SIGN_UPS: readonly NewUser['origin'][] = ['invitation', 'setup']

/** @throws ApiError USER_ALREADY_EXISTS when the email address is taken, also concurrently */
export async function createUser(unit: UnitOfWork, newUser: NewUser): Promise<UserRow> {
  const { transaction, context } = unit
  const now = context.now()
  const user = await insertUser(transaction, {
    id: newUser.id ?? newId('usr', context),
    name: newUser.name,
    email: newUser.email,
    emailVerified: newUser.emailVerified ? 1 : 0,
    image: newUser.image ?? null,
    role: newUser.role ?? 'user',
    ...NOT_BANNED,
    twoFactorEnabled: 0,
    properties: newUser.properties ?? '{}',
    createdAt: now,
    updatedAt: now,
  })
  if (!user) throw new ApiError('USER_ALREADY_EXISTS', { field: 'email' })
  const names = Object.keys(JSON.parse(user.properties) as object)
  const { record } = SIGN_UPS.includes(newUser.origin) ? asUser(unit, user.id) : unit
  await record({
    action: 'user.created',
    subjectId: user.id,
    details: {
      role: user.role,
      origin: newUser.origin,
      emailVerified: newUser.emailVerified,
      ...(names.length > 0 && { fields: joinFieldNames(names) }),
    },
  })
  return user
}
