import { Type } from 'typebox'
import { Permissions } from '../../../core/access/permissions-response.ts'
import { Member, MemberOfUser, MemberRole, OrganizationFields } from '../../../core/memberships/schemas.ts'
import { Slug } from '../../../core/organizations/slug.ts'
import { NullablePicture } from '../../../core/picture.ts'
import { Name } from '../../../platform/http/names.ts'
import {
  Described,
  Fields,
  Id,
  NullableId,
  NullableString,
  NullableTimestamp,
  Query,
  Timestamp,
} from '../../../platform/http/schemas.ts'
import { ListedInvitation } from '../invitations/schemas.ts'
import { Metadata } from './metadata.ts'

export const Organization = Type.Object({
  id: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  logo: NullableString,
  createdAt: Timestamp,
  metadata: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'the JSON text of an object' }),
  requireTwoFactor: Type.Boolean({
    description: 'whether tokens need a session with two-step verification or a passkey',
  }),
})

export const CreateOrganizationBody = Fields({
  name: Name,
  slug: Slug,
  logo: Type.Optional(NullablePicture),
  metadata: Type.Optional(Metadata),
  keepCurrentActiveOrganization: Type.Optional(
    Type.Boolean({ description: 'true: the active organization of the session stays the same' }),
  ),
})
export const CreatedOrganization = Type.Object({ ...Organization.properties, members: Type.Array(Member) })

export const UpdateOrganizationBody = Fields({
  data: Fields({
    name: Type.Optional(Name),
    slug: Type.Optional(Slug),
    logo: Type.Optional(NullablePicture),
    metadata: Type.Optional(Metadata),
    requireTwoFactor: Type.Optional(Type.Boolean({ description: 'only owners may set it' })),
  }),
  expectedMetadata: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'the `metadata` that the caller has read; if another is stored, nothing is changed',
    }),
  ),
  ...OrganizationFields,
})

export const CheckSlugBody = Fields({ slug: Slug })
export const CheckSlugResponse = Type.Object({ message: Type.String(), status: Type.Boolean() })

export const DeleteOrganizationBody = Fields({ organizationId: Id })
export const DeletedOrganizationId = Type.String({ description: 'the id of the deleted organization' })

export const GetOrganizationQuery = Query(OrganizationFields)
export const GetFullOrganizationQuery = Query({
  ...OrganizationFields,
  membersLimit: Type.Optional(Type.String({ pattern: '^([1-9][0-9]?|100)$', description: 'from 1 to 100' })),
})
/** Null: the request names no organization, and the session has no active one. */
export const OrganizationResponse = Type.Union([Organization, Type.Null()])
export const FullOrganizationResponse = Type.Union([
  Type.Object({
    ...Organization.properties,
    members: Type.Array(MemberOfUser),
    invitations: Type.Array(ListedInvitation),
  }),
  Type.Null(),
])

const Count = Type.Integer()
const RoleOfCaller = Described(MemberRole, 'of the caller')
export const GetOverviewQuery = Query(OrganizationFields)
export const Overview = Type.Object({
  organization: Organization,
  role: RoleOfCaller,
  memberCounts: Type.Object({ owner: Count, admin: Count, member: Count }),
  openInvitationCount: Count,
  apiKeyCount: Count,
  oauthClientCount: Count,
  expiringApiKeys: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), expiresAt: NullableTimestamp }), {
    description:
      'enabled API keys that expire in the next 14 days and are not rotated, for owners and admins; at most 100',
  }),
  clientCode: Described(NullableString, 'the `client-code` in tokens'),
})

export const HasPermissionBody = Fields({ permissions: Permissions, ...OrganizationFields })

export const SetActiveBody = Fields({
  organizationId: Type.Optional(NullableId),
  organizationSlug: Type.Optional(Id),
})
export const OrganizationList = Type.Array(
  Type.Object({
    ...Organization.properties,
    role: RoleOfCaller,
  }),
)
