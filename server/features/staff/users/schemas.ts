import { Type } from 'typebox'
import { OneRole } from '../../../core/access/one-role.ts'
import { Permissions } from '../../../core/access/permissions-response.ts'
import { NullablePicture, Picture } from '../../../core/picture.ts'
import { Name } from '../../../platform/http/names.ts'
import { EmailAddress, Fields, Id, Password, Query } from '../../../platform/http/schemas.ts'
import { KeysOfLeaverFields, RevokeApiKeys } from '../../organizations/api-keys/leaver-schemas.ts'

const Role = OneRole('user, support or admin')

const CUSTOM_PROPERTIES =
  'other names are custom properties of the user: any JSON, at most 8 KiB per user; null removes a property'

export const RemoveUserBody = Fields({ userId: Id, revokeApiKeys: RevokeApiKeys })
export const RemoveUserResponse = Type.Object({ success: Type.Boolean(), ...KeysOfLeaverFields })

export const GetUserQuery = Query({ id: Type.Optional(Id) })
export const SetRoleBody = Fields({ userId: Id, role: Role })
export const SetUserPasswordBody = Fields({ userId: Id, newPassword: Password })
export const SendPasswordLinkBody = Fields({ userId: Id })

export const CreateUserByStaffBody = Fields({
  email: EmailAddress,
  name: Name,
  password: Type.Optional(Password),
  role: Type.Optional(Role),
  data: Type.Optional(
    Type.Object(
      { image: Type.Optional(Picture), emailVerified: Type.Optional(Type.Boolean()) },
      { additionalProperties: true, description: CUSTOM_PROPERTIES },
    ),
  ),
})
export const UpdateUserByStaffBody = Fields({
  userId: Id,
  data: Type.Object(
    {
      name: Type.Optional(Name),
      image: Type.Optional(NullablePicture),
      email: Type.Optional(EmailAddress),
      emailVerified: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: true, description: CUSTOM_PROPERTIES },
  ),
})

export const PermissionsBody = Fields({
  permissions: Permissions,
  role: Type.Optional(Role),
  userId: Type.Optional(Id),
})
