import { type TSchema, Type } from 'typebox'
import {
  APPLICATION_TYPES,
  ASSERTION_ALGORITHMS,
  CLIENT_AUTHENTICATION_METHODS,
  type ClientMetadata,
  GRANT_TYPES,
  SIGNING_ALGORITHMS,
} from '../../core/oauth-clients/metadata.ts'
import { Line, OneOf } from '../../platform/http/schemas.ts'

const URI_LENGTH_MAXIMUM = 2_000
const URIS_MAXIMUM = 50

const Uri = Type.String({
  minLength: 1,
  maxLength: URI_LENGTH_MAXIMUM,
  pattern: '^[\\x21-\\x7e]+$',
  description: 'an address in ASCII characters, without spaces',
})
const Uris = (description: string) => Type.Array(Uri, { maxItems: URIS_MAXIMUM, description })
const WebUri = Type.String({
  maxLength: URI_LENGTH_MAXIMUM,
  pattern: '^https?://[^/@\\s]+(?:/[\\x21-\\x7e]*)?$',
  description: 'the address of a page: https:// or http://, in ASCII characters, without user name',
})

/** A field that is absent or null has its default value, or no value. */
const Optional = <T extends TSchema>(schema: T) =>
  Type.Optional(Type.Unsafe<Type.Static<T> | null>({ ...schema, type: [(schema as { type?: string }).type, 'null'] }))
const OptionalWord = <const T extends string>(...words: T[]) =>
  Type.Optional(Type.Unsafe<T | null>({ type: ['string', 'null'], enum: [...words, null] }))

/** The client metadata that a request may set. `parseClientMetadata` checks what a schema can't. */
export const ClientMetadataFields = {
  client_name: Optional(Line(100)),
  redirect_uris: Optional(Uris('where a browser goes after the sign-in: compared as text, without wildcards')),
  post_logout_redirect_uris: Optional(Uris('where a browser goes after the log-out')),
  grant_types: Optional(Type.Array(OneOf(...GRANT_TYPES), { minItems: 1, maxItems: GRANT_TYPES.length })),
  response_types: Optional(Type.Array(OneOf('code'), { maxItems: 1 })),
  scope: Optional({ ...Line(200), description: 'one line: the scopes, separated by spaces' }),
  token_endpoint_auth_method: OptionalWord(...CLIENT_AUTHENTICATION_METHODS),
  token_endpoint_auth_signing_alg: OptionalWord(...ASSERTION_ALGORITHMS),
  id_token_signed_response_alg: OptionalWord(...SIGNING_ALGORITHMS),
  application_type: OptionalWord(...APPLICATION_TYPES),
  backchannel_logout_uri: Optional(Uri),
  backchannel_logout_session_required: Optional(Type.Boolean()),
  dpop_bound_access_tokens: Optional(Type.Boolean({ description: 'true: every request for a token needs DPoP' })),
  client_uri: Optional(WebUri),
  logo_uri: Optional(WebUri),
  tos_uri: Optional(WebUri),
  policy_uri: Optional(WebUri),
  contacts: Optional(
    Type.Array(
      Type.String({
        maxLength: 320,
        pattern: "^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9-]+(?:\\.[a-zA-Z0-9-]+)*$",
        description: 'an email address in ASCII',
      }),
      { maxItems: 10 },
    ),
  ),
  software_id: Optional(Line(200)),
  software_version: Optional(Line(100)),
  jwks: Optional(
    Type.Object(
      {
        keys: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
          minItems: 1,
          maxItems: 20,
          description: 'public keys in the form of RFC 7517',
        }),
      },
      { additionalProperties: false },
    ),
  ),
  jwks_uri: Optional(Uri),
}

export type ClientMetadataInput = { [Name in keyof ClientMetadata]?: ClientMetadata[Name] | null | undefined }
