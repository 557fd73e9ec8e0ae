import { Type } from 'typebox'
import { NullablePicture } from '../../../core/picture.ts'
import { User } from '../../../core/users/schemas.ts'
import { Name } from '../../../platform/http/names.ts'
import { Fields, Timestamp } from '../../../platform/http/schemas.ts'

export const UpdateUserBody = Fields({
  name: Type.Optional(Name),
  image: Type.Optional(NullablePicture),
})
export const UpdateUserResponse = Type.Object({ user: User, status: Type.Boolean() })

export const AccountList = Type.Array(
  Type.Object({
    id: Type.String(),
    providerId: Type.String({ description: 'credential: a password' }),
    accountId: Type.String(),
    userId: Type.String(),
    scopes: Type.Array(Type.String()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
)
