import { type Static, Type } from 'typebox'
import { MemberRole } from '../../../core/memberships/schemas.ts'
import { Described, Fields, Id, NullableString, OneOf, Query } from '../../../platform/http/schemas.ts'

const InteractionId = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[\\w-]+$',
  description: 'letters, digits, - and _, as in the address of the page',
})
const PageQuery = Type.String({ maxLength: 2048, description: "the page's query string, without the question mark" })

export const ClientOfPage = Type.Object({
  clientId: Type.String(),
  name: Type.String(),
  uri: NullableString,
  logoUri: NullableString,
  tosUri: NullableString,
  policyUri: NullableString,
  organizationName: NullableString,
  isSelfRegistered: Type.Boolean({ description: 'whether no user of the service created it' }),
})

export const OrganizationChoice = Type.Object({
  id: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  logo: NullableString,
  role: MemberRole,
})

const UserOfPage = Type.Object({
  id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  image: NullableString,
})

export const GetInteractionQuery = Query({ interaction: InteractionId })
export const InteractionResponse = Type.Object({
  kind: OneOf('login', 'organization', 'second-step', 'consent'),
  client: ClientOfPage,
  redirectOrigin: NullableString,
  scopes: Type.Array(Type.String()),
  loginHint: NullableString,
  user: Type.Union([UserOfPage, Type.Null()]),
  organizations: Type.Array(OrganizationChoice, {
    description: 'those to choose from; for consent, the one that the app will see',
  }),
  resumeUrl: Type.String({ description: 'where the browser goes when the page has done its work' }),
})
export type InteractionResponse = Static<typeof InteractionResponse>

export const ConsentBody = Fields({
  accept: Type.Boolean({ description: 'whether the user allows the app what it asks for' }),
  scope: Type.Optional(
    Type.String({ maxLength: 1024, description: 'the allowed scopes, and no other requested ones; all by default' }),
  ),
  organizationId: Type.Optional(Described(Id, 'the id of the organization that the page showed')),
  oauth_query: PageQuery,
})
export const ConsentResponse = Type.Object({
  redirect: Type.Boolean(),
  url: Type.String(),
  redirect_uri: Type.String({ description: 'the same as url' }),
})

export const ChooseOrganizationBody = Fields({ organizationId: Id, oauth_query: PageQuery })
export const ChooseOrganizationResponse = Type.Object({ url: Type.String() })
