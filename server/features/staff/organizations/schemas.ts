import { Type } from 'typebox'
import { MEMBERSHIPS_PER_PAGE } from '../../../core/field-limits.ts'
import { INVITATION_STATUSES, INVITED_EMAIL_OPERATORS } from '../../../core/invitations/matching-invitations.ts'
import { MemberOfUser, MemberRole } from '../../../core/memberships/schemas.ts'
import { Slug } from '../../../core/organizations/slug.ts'
import { Name } from '../../../platform/http/names.ts'
import { CountedPageFields, ListPageFields, pageFields, UncountedPageFields } from '../../../platform/http/paging.ts'
import {
  EmailAddress,
  Fields,
  Id,
  Line,
  NullableString,
  NullableTimestamp,
  OneOf,
  OptionalOneOf,
  Query,
  Timestamp,
} from '../../../platform/http/schemas.ts'
import { Invitation, ListedInvitation } from '../../organizations/invitations/schemas.ts'
import { Metadata } from '../../organizations/organizations/metadata.ts'
import { Organization } from '../../organizations/organizations/schemas.ts'

const Count = Type.Integer()

export const ListOrganizationsResponse = Type.Object({
  organizations: Type.Array(
    Type.Object({ ...Organization.properties, memberCount: Count, openInvitationCount: Count }),
  ),
  ...CountedPageFields,
})

export const CreateOrganizationForOwnerBody = Fields({
  name: Name,
  slug: Slug,
  ownerEmail: EmailAddress,
  metadata: Type.Optional(Metadata),
})
export const CreateOrganizationForOwnerResponse = Type.Object({ organization: Organization, invitation: Invitation })

export const InviteOwnerBody = Fields({ organizationId: Id, ownerEmail: EmailAddress })
export const InviteOwnerResponse = Type.Object({ invitation: Invitation })

export const GetCountedOrganizationQuery = Query({ id: Type.Optional(Id), slug: Type.Optional(Id) })
export const GetCountedOrganizationResponse = Type.Object({
  organization: Type.Object({
    ...Organization.properties,
    memberCount: Count,
    ownerCount: Type.Integer({ description: 'Without banned owners.' }),
    openInvitationCount: Count,
    apiKeyCount: Count,
    oauthClientCount: Count,
  }),
})

export const ListOrganizationMembersQuery = Query({ organizationId: Id, ...ListPageFields })
export const ListOrganizationMembersResponse = Type.Object({ members: Type.Array(MemberOfUser), ...CountedPageFields })

export const ListMembershipsQuery = Query({ userId: Id, ...pageFields(MEMBERSHIPS_PER_PAGE) })
export const ListMembershipsResponse = Type.Object({
  memberships: Type.Array(
    Type.Object({
      id: Type.String(),
      role: MemberRole,
      createdAt: Timestamp,
      lastUsedAt: NullableTimestamp,
      organization: Type.Object({
        id: Type.String(),
        name: Type.String(),
        slug: Type.String(),
        logo: NullableString,
      }),
    }),
  ),
  ...UncountedPageFields,
})

export const ListAllInvitationsQuery = Fields({
  email: Type.Optional(Line(320)),
  emailOperator: OptionalOneOf(INVITED_EMAIL_OPERATORS, 'default contains; eq: the whole email address'),
  organizationId: Type.Optional(Id),
  status: Type.Optional(OneOf(...INVITATION_STATUSES)),
  ...ListPageFields,
})
export const ListAllInvitationsResponse = Type.Object({
  invitations: Type.Array(
    Type.Object({
      ...ListedInvitation.properties,
      status: OneOf('pending', 'accepted', 'rejected', 'canceled', 'expired'),
      organizationName: Type.String(),
      organizationSlug: Type.String(),
      inviterName: NullableString,
      inviterEmail: NullableString,
    }),
  ),
  ...CountedPageFields,
})
