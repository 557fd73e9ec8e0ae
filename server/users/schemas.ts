import { Type } from 'typebox'
import { NullableString, NullableTimestamp, Timestamp } from '../http/schemas.ts'

export const User = Type.Object({
  id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  emailVerified: Type.Boolean(),
  image: NullableString,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  role: Type.String(),
  banned: Type.Boolean(),
  banReason: NullableString,
  banExpires: NullableTimestamp,
  twoFactorEnabled: Type.Boolean(),
})

export const BasicUser = Type.Object({
  id: Type.String(),
  email: Type.String({ format: 'email' }),
  name: Type.String(),
  image: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uri' }),
  emailVerified: Type.Boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
