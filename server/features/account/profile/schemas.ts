import { Type } from 'typebox'
import { User } from '../../../core/users/schemas.ts'
import { Name } from '../../../platform/http/names.ts'
import { Fields, NullablePicture, Password, Query, Secret, Timestamp } from '../../../platform/http/schemas.ts'

export const UpdateUserBody = Fields({
  name: Type.Optional(Name),
  image: Type.Optional(NullablePicture),
})
export const UpdateUserAnswer = Type.Object({ user: User, status: Type.Boolean() })

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

const CallbackUrl = Type.Optional(Type.String({ maxLength: 2048 }))
export const DeleteUserBody = Fields({
  password: Type.Optional(Password),
  token: Type.Optional(Secret),
  callbackURL: CallbackUrl,
})
export const DeleteUserQuery = Query({ token: Type.Optional(Secret), callbackURL: CallbackUrl })
export const DeleteUserAnswer = Type.Object({ success: Type.Boolean(), message: Type.String() })
