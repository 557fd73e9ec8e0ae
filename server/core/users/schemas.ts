import { Type } from 'typebox'
import { NullableString, NullableTimestamp, OneOf, Timestamp } from '../../platform/http/schemas.ts'
import { SERVICE_ROLES } from '../access/staff-permissions.ts'

const fields = {
  id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  emailVerified: Type.Boolean(),
  image: NullableString,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  role: OneOf(...SERVICE_ROLES),
  banned: Type.Boolean(),
  banReason: NullableString,
  banExpires: NullableTimestamp,
  twoFactorEnabled: Type.Boolean(),
}
export const User = Type.Object(fields, {
  additionalProperties: true,
  description: 'and the custom properties that staff have set',
})
export const UserResponse = Type.Object({ user: User })

export const USER_FIELDS = Object.keys(fields)

export const BasicUser = Type.Object({
  id: Type.String(),
  email: Type.String({ format: 'email' }),
  name: Type.String(),
  image: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uri' }),
  emailVerified: Type.Boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const SignUpResponse = Type.Object({ token: Type.String(), user: BasicUser })
