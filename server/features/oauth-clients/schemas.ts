import { Type } from 'typebox'
import { OrganizationFields } from '../../core/memberships/schemas.ts'
import { Described, Fields, Id, OneOf, Query } from '../../platform/http/schemas.ts'
import { ClientMetadataFields } from './metadata-fields.ts'

/** By default the active organization of the session; for staff without one, the service. */
const OwnerFields = {
  ...OrganizationFields,
  ownedBy: Type.Optional(Described(OneOf('service'), 'not an organization')),
}
const Always = <const T extends string | boolean>(value: T) =>
  Type.Optional(Type.Unsafe<T>({ type: typeof value, enum: [value], description: 'always so here' }))
const EXPECTED = 'the list that you have read: if another one is stored, the client is not changed'
const ExpectedList = Type.Optional(Type.Array(Type.String(), { description: EXPECTED }))

export const CreateClientBody = Fields({
  ...ClientMetadataFields,
  skip_consent: Type.Optional(Type.Boolean({ description: 'of clients of the service only' })),
  require_pkce: Always(true),
  enable_end_session: Always(true),
  subject_type: Always('public'),
  ...OwnerFields,
})

export const GetClientsQuery = Query(OwnerFields)
export const ClientIdBody = Fields({ client_id: Id })
export const ClientIdQuery = Query({ client_id: Id })

export const UpdateClientBody = Fields({
  client_id: Id,
  update: Fields({
    ...ClientMetadataFields,
    skip_consent: Type.Optional(Type.Boolean({ description: 'of clients of the service only' })),
    disabled: Type.Optional(Type.Boolean({ description: 'whether the client is refused everywhere' })),
  }),
  expected: Type.Optional(Fields({ redirect_uris: ExpectedList, post_logout_redirect_uris: ExpectedList })),
})

/** Unknown metadata is ignored (RFC 7591, section 2). */
export const RegisterClientBody = Type.Object({ ...ClientMetadataFields, skip_consent: Always(false) })

const Texts = Type.Array(Type.String())
const OptionalText = Type.Optional(Type.String())

const PublicFields = {
  client_id: Type.String(),
  client_name: Type.String(),
  client_uri: OptionalText,
  logo_uri: OptionalText,
  tos_uri: OptionalText,
  policy_uri: OptionalText,
}
export const PublicClient = Type.Object(PublicFields)

/** RFC 7591, section 3.2.1, with the additions of the official plugin. */
export const OAuthClient = Type.Object({
  ...PublicFields,
  contacts: Type.Optional(Texts),
  client_id_issued_at: Type.Integer({ description: 'in seconds' }),
  client_secret_expires_at: Type.Optional(Type.Integer({ description: '0: the secret does not expire' })),
  redirect_uris: Texts,
  post_logout_redirect_uris: Texts,
  grant_types: Texts,
  response_types: Texts,
  scope: Type.String(),
  token_endpoint_auth_method: Type.String(),
  token_endpoint_auth_signing_alg: OptionalText,
  id_token_signed_response_alg: Type.String(),
  application_type: Type.String(),
  backchannel_logout_uri: OptionalText,
  backchannel_logout_session_required: Type.Boolean(),
  dpop_bound_access_tokens: Type.Boolean(),
  software_id: OptionalText,
  software_version: OptionalText,
  jwks: Type.Optional(Type.Object({ keys: Type.Array(Type.Record(Type.String(), Type.Unknown())) })),
  jwks_uri: OptionalText,
  subject_type: Type.String(),
  require_pkce: Type.Boolean(),
  enable_end_session: Type.Boolean(),
  skip_consent: Type.Boolean(),
  disabled: Type.Boolean(),
  user_id: Type.Optional(Type.String({ description: 'who created it; absent for a client that registered itself' })),
  reference_id: Type.Optional(Type.String({ description: 'the organization that owns the client' })),
})

export const OAuthClientWithSecret = Type.Object({
  ...OAuthClient.properties,
  client_secret: Type.Optional(Type.String({ description: 'no other response shows it' })),
})
