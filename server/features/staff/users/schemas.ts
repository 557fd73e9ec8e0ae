import { Type } from 'typebox'
import { Permissions } from '../../../core/access/has-permission.ts'
import { OneRole } from '../../../core/access/one-role.ts'
import { Session } from '../../../core/sessions/schemas.ts'
import { User } from '../../../core/users/schemas.ts'
import { Name } from '../../../platform/http/names.ts'
import {
  EmailAddress,
  Fields,
  Id,
  Line,
  NullablePicture,
  NullableString,
  NullableTimestamp,
  Password,
  Picture,
  Query,
  Secret,
  Timestamp,
} from '../../../platform/http/schemas.ts'
import { KeysOfLeaverFields, RevokeApiKeys } from '../../organizations/api-keys/leaver-schemas.ts'

/** What every staff route about somebody may answer besides its own errors. */
export const REFUSALS = ['STAFF_IS_FOR_ADMINS', 'USER_NOT_FOUND'] as const

const Role = OneRole('user, support or admin')
const TEN_YEARS_IN_SECONDS = 10 * 366 * 24 * 3_600

const CUSTOM_PROPERTIES =
  'every other name is a custom property of the user: any JSON, 8 KiB of it for a user; null removes one'

export const UserIdBody = Fields({ userId: Id })
export const UserAnswer = Type.Object({ user: User })
export const SuccessAnswer = Type.Object({ success: Type.Boolean() })
export const RemoveUserBody = Fields({ userId: Id, revokeApiKeys: RevokeApiKeys })
export const RemoveUserAnswer = Type.Object({ success: Type.Boolean(), ...KeysOfLeaverFields })

export const GetUserQuery = Query({ id: Type.Optional(Id) })
export const BanUserBody = Fields({
  userId: Id,
  banReason: Type.Optional(Line(500)),
  banExpiresIn: Type.Optional(
    Type.Integer({ minimum: 1, maximum: TEN_YEARS_IN_SECONDS, description: 'seconds; without it there is no end' }),
  ),
})
export const SetRoleBody = Fields({ userId: Id, role: Role })
export const SetUserPasswordBody = Fields({ userId: Id, newPassword: Password })
export const SetUserPasswordAnswer = Type.Object({ status: Type.Boolean() })

export const CreateUserBody = Fields({
  email: EmailAddress,
  name: Name,
  password: Type.Optional(Password),
  role: Type.Optional(Role),
  // Open: other names are custom properties of the user.
  data: Type.Optional(
    Type.Object(
      { image: Type.Optional(Picture), emailVerified: Type.Optional(Type.Boolean()) },
      { additionalProperties: true, description: CUSTOM_PROPERTIES },
    ),
  ),
})
export const UpdateUserBody = Fields({
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

export const RetryEmailBody = Fields({ emailId: Id })
export const RetryEmailAnswer = Type.Object({ status: Type.Boolean(), message: Type.String() })

export const SessionsAnswer = Type.Object({ sessions: Type.Array(Session) })
export const RevokeUserSessionBody = Fields({ sessionToken: Secret })
export const ImpersonateUserBody = Fields({ userId: Id, reason: Type.Optional(Line(500)) })
export const StopImpersonatingAnswer = Type.Object({ message: Type.String(), session: Session, user: User })

export const ImpersonationList = Type.Array(
  Type.Object({
    id: Type.String(),
    impersonatedBy: Type.String(),
    impersonatedByName: NullableString,
    startedAt: Timestamp,
    endedAt: Type.Unsafe<string | null>({ ...NullableTimestamp, description: 'null while it goes on' }),
  }),
)
