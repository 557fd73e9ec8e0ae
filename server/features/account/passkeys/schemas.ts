import { Type } from 'typebox'
import { RememberMe, Session } from '../../../core/sessions/schemas.ts'
import { User } from '../../../core/users/schemas.ts'
import { Name } from '../../../platform/http/names.ts'
import {
  Described,
  EmailAddress,
  Fields,
  Id,
  NullableString,
  NullableTimestamp,
  OneOf,
  Properties,
  Query,
  Secret,
  Timestamp,
} from '../../../platform/http/schemas.ts'

export const Passkey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  publicKey: Type.String({ description: 'the COSE key in base64' }),
  userId: Type.String(),
  credentialID: Type.String(),
  counter: Type.Number(),
  deviceType: Described(OneOf('singleDevice', 'multiDevice'), 'multiDevice can be copied to other devices'),
  backedUp: Type.Boolean(),
  transports: Type.String({ description: 'separated by commas' }),
  createdAt: Timestamp,
  lastUsedAt: Described(NullableTimestamp, 'the last sign-in or step-up; null before the first one'),
  aaguid: Type.String(),
  authenticatorName: Described(
    NullableString,
    'the name of the model in aaguid, if it is known; unlike `name`, the user does not choose it',
  ),
})
export const PasskeyList = Type.Array(Passkey)
export const PasskeyResponse = Type.Object({ passkey: Passkey })
export const PasskeyIdBody = Fields({ id: Id })
export const RenameBody = Fields({ id: Id, name: Name })

/** The `context` of a browser, whose cookie names the invitation. */
export const SIGN_UP_CONTEXT = 'sign-up'

export const RegisterOptionsQuery = Query({
  authenticatorAttachment: Type.Optional(
    Type.Unsafe<'platform' | 'cross-platform'>({
      type: 'string',
      enum: ['platform', 'cross-platform'],
      description: 'built into this device, or portable',
    }),
  ),
  name: Type.Optional(Name),
  context: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description:
        'to sign up with a passkey: `sign-up`, or (for clients without cookies) the reference in the link of ' +
        'the invitation email; `name` is then the name of the user',
    }),
  ),
  expectedEmail: Type.Optional(Described(EmailAddress, 'the invited email address that you have read, for a sign-up')),
})

const Party = Type.Object({ name: Type.String(), id: Type.String() })
const PublicUser = Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() })
const Descriptors = Type.Array(
  Type.Object({ id: Type.String(), type: Type.String(), transports: Type.Optional(Type.Array(Type.String())) }),
)
const AuthenticatorSelection = Type.Object({
  authenticatorAttachment: Type.Optional(Type.String()),
  residentKey: Type.Optional(Type.String()),
  requireResidentKey: Type.Boolean(),
  userVerification: Type.String(),
})

const IssuedBinding = Type.Optional(
  Type.String({ description: 'without a session: a client without cookies sends it back with the response' }),
)

export const RegisterOptions = Type.Object({
  challenge: Type.String(),
  rp: Party,
  user: PublicUser,
  pubKeyCredParams: Type.Array(Type.Object({ type: Type.String(), alg: Type.Number() })),
  timeout: Type.Number({ description: 'milliseconds' }),
  excludeCredentials: Descriptors,
  authenticatorSelection: AuthenticatorSelection,
  attestation: Type.String(),
  extensions: Properties,
  hints: Type.Array(Type.String()),
  binding: IssuedBinding,
})

export const AuthenticateOptionsQuery = Query({
  newSession: Type.Optional(
    Described(
      OneOf('true', 'false'),
      'true: the passkey starts a new session, also of another user. Otherwise it makes the session fresh',
    ),
  ),
})

export const AuthenticateOptions = Type.Object({
  challenge: Type.String(),
  rpId: Type.String(),
  rp: Party,
  user: PublicUser,
  timeout: Type.Number({ description: 'milliseconds' }),
  allowCredentials: Descriptors,
  userVerification: Type.String(),
  authenticatorSelection: AuthenticatorSelection,
  extensions: Properties,
  binding: IssuedBinding,
})

const Base64Url = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$', description: 'base64url, without padding' })
/** 1023 bytes (WebAuthn, section 4). */
const CredentialId = Base64Url(1364)
const BASE64URL_LENGTH_MAXIMUM = 60_000

/** WebAuthn, section 5.1. Other members are ignored. */
export const RegistrationResponse = Type.Object({
  id: CredentialId,
  rawId: CredentialId,
  type: Type.Literal('public-key'),
  response: Type.Object({
    clientDataJSON: Base64Url(BASE64URL_LENGTH_MAXIMUM),
    attestationObject: Base64Url(BASE64URL_LENGTH_MAXIMUM),
    authenticatorData: Type.Optional(
      Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: BASE64URL_LENGTH_MAXIMUM }),
    ),
    publicKey: Type.Optional(
      Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: BASE64URL_LENGTH_MAXIMUM }),
    ),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 16 })),
  }),
})

export const AuthenticationResponse = Type.Object({
  id: CredentialId,
  rawId: CredentialId,
  type: Type.Literal('public-key'),
  response: Type.Object({
    clientDataJSON: Base64Url(BASE64URL_LENGTH_MAXIMUM),
    authenticatorData: Base64Url(BASE64URL_LENGTH_MAXIMUM),
    signature: Base64Url(BASE64URL_LENGTH_MAXIMUM),
    userHandle: Type.Optional(NullableString),
  }),
})

const Binding = Type.Optional(Described(Secret, 'from the options, for a client without cookies'))

/** The order is the order of validation: errors of the short fields come first. */
export const VerifyRegistrationBody = Fields({
  name: Type.Optional(Name),
  createSession: Type.Optional(
    Type.Boolean({ description: 'accepted from the official client; the response always has a session' }),
  ),
  binding: Binding,
  response: RegistrationResponse,
})
export const AddPasskeyResponse = Type.Object({ ...Passkey.properties, session: Session, user: User })
export const VerifyAuthenticationBody = Fields({
  binding: Binding,
  rememberMe: RememberMe,
  response: AuthenticationResponse,
})

export const CEREMONY_ERRORS = [
  'CHALLENGE_NOT_FOUND',
  'CHALLENGE_FROM_ELSEWHERE',
  'PASSKEY_WRONG_ORIGIN',
  'PASSKEY_WRONG_RELYING_PARTY',
  'USER_VERIFICATION_REQUIRED',
] as const
