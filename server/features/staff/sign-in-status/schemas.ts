import { type Static, Type } from 'typebox'
import { MemberRole } from '../../../core/memberships/schemas.ts'
import { TwoStepRequirements } from '../../../core/two-step/schemas.ts'
import { User } from '../../../core/users/schemas.ts'
import {
  Described,
  EmailAddress,
  Id,
  NullableTimestamp,
  OneOf,
  Query,
  Timestamp,
} from '../../../platform/http/schemas.ts'

const REASON_CODES = [
  'NO_USER',
  'BANNED',
  'NO_PASSWORD_AND_NO_PASSKEY',
  'TOO_MANY_GUESSES',
  'TWO_STEP_LOCKED',
  'TWO_STEP_REQUIRED',
  'TWO_STEP_ENABLED',
  'EMAIL_NOT_VERIFIED',
  'EMAIL_FAILED',
  'INVITATION_OPEN',
] as const

export const SignInStatusQuery = Query({ email: Type.Optional(EmailAddress), userId: Type.Optional(Id) })

const Reason = Type.Object({
  code: OneOf(...REASON_CODES),
  message: Type.String({ description: 'one sentence or two, to read to the user' }),
  since: Type.Optional(Timestamp),
  until: Type.Optional(Timestamp),
})

export const SignInStatusResponse = Type.Object({
  email: Type.String(),
  user: Type.Union([User, Type.Null()]),
  canSignIn: Type.Boolean(),
  reasons: Type.Array(Reason),
  lastSignInAt: NullableTimestamp,
  lastFailureAt: Described(NullableTimestamp, 'to within ten minutes'),
  password: Type.Union([Type.Object({ changedAt: Timestamp }), Type.Null()]),
  passkeys: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      createdAt: Timestamp,
      lastUsedAt: NullableTimestamp,
      backedUp: Type.Boolean(),
    }),
  ),
  twoFactor: Type.Union([
    Type.Object({
      enabled: Type.Boolean(),
      method: Type.Unsafe<'totp' | 'otp' | null>({
        type: ['string', 'null'],
        enum: ['totp', 'otp', null],
        description: 'totp: an authenticator app; otp: codes by email',
      }),
      lockedUntil: Described(NullableTimestamp, 'after too many wrong codes'),
      recoveryCodesLeft: Type.Integer(),
      requiredBy: TwoStepRequirements,
    }),
    Type.Null(),
  ]),
  openInvitation: Type.Union([
    Type.Object({
      id: Type.String(),
      organizationId: Type.String(),
      organizationName: Type.String(),
      role: MemberRole,
      createdAt: Timestamp,
      expiresAt: Timestamp,
    }),
    Type.Null(),
  ]),
})

export type SignInReason = Static<typeof SignInStatusResponse>['reasons'][number]
