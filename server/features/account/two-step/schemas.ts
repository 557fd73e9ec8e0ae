import { Type } from 'typebox'
import { TwoStepRequirements } from '../../../core/two-step/schemas.ts'
import { User } from '../../../core/users/schemas.ts'
import {
  Described,
  Fields,
  Id,
  NullableString,
  NullableTimestamp,
  OneOf,
  Password,
  Secret,
  Timestamp,
} from '../../../platform/http/schemas.ts'

const OptionalPassword = Type.Optional(Password)
const TwoFactorToken = Type.Optional(Described(Secret, 'from the first step, for clients without cookies'))
const TrustDevice = Type.Optional(
  Type.Boolean({ description: 'true: this device is not asked for the second step for 30 days' }),
)
const RecoveryCodes = Type.Array(Type.String(), {
  description: 'ten recovery codes, shown once; each replaces the second step once',
})

/** Without a colon, which separates the issuer from the account, and without control characters. */
const Issuer = Type.String({ minLength: 1, maxLength: 64, pattern: '^[^:\\p{C}]+$', description: 'without a colon' })

export const PasswordBody = Fields({ password: OptionalPassword })
export const EnableBody = Fields({
  password: OptionalPassword,
  method: Type.Optional(OneOf('totp', 'otp')),
  issuer: Type.Optional(Issuer),
})
export const EnableResponse = Type.Object({
  method: OneOf('totp', 'otp'),
  totpURI: Type.Optional(Type.String({ description: 'the text of the QR code; only for totp' })),
  backupCodes: RecoveryCodes,
  createdAt: Described(Timestamp, 'names this setup; see `expectedCreatedAt`'),
})
export const TotpUriResponse = Type.Object({ totpURI: Type.String() })
export const RecoveryCodesResponse = Type.Object({ status: Type.Boolean(), backupCodes: RecoveryCodes })

export const SendCodeBody = Fields({ twoFactorToken: TwoFactorToken })

const Code = Type.String({ minLength: 1, maxLength: 64 })
export const VerifyCodeBody = Fields({
  code: Code,
  expectedCreatedAt: Type.Optional(
    Described(Timestamp, 'the `createdAt` of the setup that you have read, in the response of enable'),
  ),
  trustDevice: TrustDevice,
  twoFactorToken: TwoFactorToken,
})
const TrustDeviceToken = Type.Optional(
  Type.String({ description: 'for the next sign-in of a client without cookies; only after `twoFactorToken`' }),
)
export const VerifyCodeResponse = Type.Object({ token: Type.String(), user: User, trustDeviceToken: TrustDeviceToken })

export const VerifyRecoveryCodeBody = Fields({
  code: Code,
  disableSession: Type.Optional(Type.Boolean({ description: 'true: the code is used, and no session starts' })),
  trustDevice: TrustDevice,
  twoFactorToken: TwoFactorToken,
})
export const VerifyRecoveryCodeResponse = Type.Object({
  token: Type.Optional(Type.String()),
  user: User,
  remainingBackupCodes: Type.Integer(),
  trustDeviceToken: TrustDeviceToken,
})

export const TwoStepStatus = Type.Object({
  enabled: Type.Boolean(),
  method: Type.Unsafe<'totp' | 'otp' | null>({ type: ['string', 'null'], enum: ['totp', 'otp', null] }),
  enabledAt: NullableTimestamp,
  remainingBackupCodes: Type.Integer(),
  hasPassword: Type.Boolean(),
  requiredBy: TwoStepRequirements,
  isSatisfied: Type.Boolean({
    description: 'false: this session was signed in without the second step that is required',
  }),
})

export const TrustedDevices = Type.Array(
  Type.Object({
    id: Type.String(),
    createdAt: Timestamp,
    expiresAt: Timestamp,
    lastUsedAt: NullableTimestamp,
    ipAddress: NullableString,
    userAgent: NullableString,
    isCurrent: Type.Boolean(),
  }),
)
export const RevokeTrustedDeviceBody = Fields({ id: Id })
