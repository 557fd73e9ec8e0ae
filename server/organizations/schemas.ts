import { Type } from 'typebox'
import { Fields, Id, Line, NullableId, NullableString, Properties, Timestamp } from '../http/schemas.ts'

/** Of our own paths and of words that look official. */
const RESERVED_SLUGS = [
  'account',
  'accounts',
  'admin',
  'api',
  'assets',
  'dev',
  'invite',
  'root',
  'setup',
  'staff',
  'support',
  'system',
  'www',
]

export const Slug = Type.String({
  minLength: 2,
  maxLength: 48,
  pattern: `^(?!(?:${RESERVED_SLUGS.join('|')})$)[a-z0-9]+(?:-[a-z0-9]+)*$`,
  description: `lower-case letters, digits and single hyphens between them; not ${RESERVED_SLUGS.join(', ')}`,
})

export const Organization = Type.Object({
  id: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  logo: NullableString,
  createdAt: Timestamp,
  metadata: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'the JSON text of an object' }),
})

export const Member = Type.Object({
  id: Type.String(),
  userId: Type.String(),
  organizationId: Type.String(),
  role: Type.String(),
  createdAt: Timestamp,
})

export const CreateOrganizationBody = Fields({
  name: Line(100),
  slug: Slug,
  logo: Type.Optional(Type.String({ maxLength: 2048, format: 'uri' })),
  metadata: Type.Optional(Properties),
  keepCurrentActiveOrganization: Type.Optional(Type.Boolean()),
})
export const CreatedOrganization = Type.Object({ ...Organization.properties, members: Type.Array(Member) })

export const SetActiveBody = Fields({
  organizationId: Type.Optional(NullableId),
  organizationSlug: Type.Optional(Id),
})
export const SetActiveAnswer = Type.Union([Organization, Type.Null()])
export const OrganizationList = Type.Array(Organization)
