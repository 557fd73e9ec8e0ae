import { newId } from '../../platform/crypto/tokens.ts'
import type { UserRow } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { ServiceRole } from '../access/staff-permissions.ts'
import type { UnitOfWork } from '../in-transaction.ts'
import { insertUser } from './store.ts'

export interface NewUser {
  /** Where a passkey was made for the user before there was one; else a new one. */
  id?: string
  name: string
  /** As `parseEmailAddress` returns it. */
  email: string
  /** Whether somebody has proved to own the address. */
  emailVerified: boolean
  image?: string
  role?: ServiceRole
  /** As `changeProperties` returns them. */
  properties?: string
}

/**
 * Adds a user within the caller's transaction.
 * @throws ApiError USER_ALREADY_EXISTS when the address is taken, be it a moment ago
 */
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
    banned: 0,
    banReason: null,
    banExpires: null,
    properties: newUser.properties ?? '{}',
    createdAt: now,
    updatedAt: now,
  })
  if (!user) throw new ApiError('USER_ALREADY_EXISTS', { field: 'email' })
  const names = Object.keys(JSON.parse(user.properties) as object)
  await unit.record({
    action: 'user.created',
    subjectId: user.id,
    details: { role: user.role, ...(names.length > 0 && { fields: names.join(', ') }) },
  })
  return user
}
