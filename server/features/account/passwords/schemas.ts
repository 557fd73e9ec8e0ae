import { Type } from 'typebox'
import { Picture } from '../../../core/picture.ts'
import { RememberMe } from '../../../core/sessions/schemas.ts'
import { User } from '../../../core/users/schemas.ts'
import { Name } from '../../../platform/http/names.ts'
import {
  Described,
  EmailAddress,
  Fields,
  Id,
  NullableString,
  OneOf,
  OptionalCallbackUrl,
  Password,
  Query,
  Secret,
  Timestamp,
} from '../../../platform/http/schemas.ts'

export const SignInBody = Fields({
  email: EmailAddress,
  password: Password,
  callbackURL: OptionalCallbackUrl,
  rememberMe: RememberMe,
  trustDeviceToken: Type.Optional(Described(Secret, 'for clients without cookies: the device is not asked for a code')),
})
export const SignInResponse = Type.Union([
  Type.Object({
    redirect: Type.Boolean(),
    token: Type.String(),
    url: NullableString,
    user: User,
  }),
  Type.Object(
    {
      twoFactorRedirect: Type.Boolean(),
      twoFactorMethods: Type.Array(OneOf('totp', 'otp')),
      twoFactorToken: Type.String({ description: 'for clients without cookies; expires in 10 minutes' }),
    },
    { description: 'The user has a second step: verify a code with two-factor/verify-…' },
  ),
])

export const SignUpBody = Fields({
  name: Name,
  email: EmailAddress,
  password: Password,
  image: Type.Optional(Picture),
  callbackURL: OptionalCallbackUrl,
  rememberMe: RememberMe,
  invitation: Type.Optional(
    Type.String({
      maxLength: 256,
      description: 'the reference in the link of the email; the default is the cookie that the link sets',
    }),
  ),
})
export const ResetPasswordBody = Fields({
  newPassword: Password,
  token: Type.Optional(Secret),
  removePasskeys: Type.Optional(
    Type.Array(Id, {
      maxItems: 500,
      description: 'the ids of passkeys to delete, from reset-password/passkeys; the others remain',
    }),
  ),
  keepPasskeys: Type.Optional(
    Type.Array(Id, {
      maxItems: 500,
      description:
        'the ids of the only passkeys that remain, so that a passkey added since the list was read is deleted too',
    }),
  ),
})
export const PasskeysOfResetBody = Fields({ token: Secret })
export const PasskeysOfReset = Type.Array(
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    createdAt: Timestamp,
    isNew: Type.Boolean({ description: 'added in the last 30 days' }),
  }),
)
export const ResetPasswordQuery = Query({ token: Type.Optional(Secret) })
export const ResetLinkParameters = Fields({ token: Secret })
export const ResetLinkQuery = Query({
  callbackURL: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description:
        'where the browser goes with the token; the default is the `redirectTo` of the request for the email',
    }),
  ),
})
export const ResetLinkResponse = Type.Object({ token: Type.String() })
export const RequestResetBody = Fields({ email: EmailAddress, redirectTo: OptionalCallbackUrl })
export const RequestResetResponse = Type.Object({ status: Type.Boolean(), message: Type.String() })

export const ChangePasswordBody = Fields({
  newPassword: Password,
  currentPassword: Password,
  revokeOtherSessions: Type.Optional(
    Type.Boolean({ description: 'accepted without effect: the other sessions are always revoked' }),
  ),
})
export const VerifyPasswordBody = Fields({ password: Password })
