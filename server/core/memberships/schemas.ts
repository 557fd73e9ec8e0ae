import { Type } from 'typebox'
import { Described, Id, NullableString, NullableTimestamp, OneOf, Timestamp } from '../../platform/http/schemas.ts'
import { OneRole } from '../access/one-role.ts'
import { ORGANIZATION_ROLES } from '../access/organization-permissions.ts'

export const MemberRole = OneOf(...ORGANIZATION_ROLES)

export const Member = Type.Object({
  id: Type.String(),
  userId: Type.String(),
  organizationId: Type.String(),
  role: MemberRole,
  createdAt: Timestamp,
  lastUsedAt: Described(NullableTimestamp, 'last use of the organization by the member, to the hour'),
})

export const MemberOfUser = Type.Object({
  ...Member.properties,
  user: Type.Object({ id: Type.String(), name: Type.String(), email: Type.String(), image: NullableString }),
})

/** The organization of a request; by default the active organization of the session. */
export const OrganizationFields = { organizationId: Type.Optional(Id), organizationSlug: Type.Optional(Id) }

export const RoleName = OneRole('owner, admin or member')
