import { Type } from 'typebox'
import { Id, NullableString, Timestamp } from '../../platform/http/schemas.ts'
import { OneRole } from '../access/one-role.ts'

export const Member = Type.Object({
  id: Type.String(),
  userId: Type.String(),
  organizationId: Type.String(),
  role: Type.String({ description: 'owner, admin or member' }),
  createdAt: Timestamp,
})

/** With what people are shown of the user. */
export const MemberOfUser = Type.Object({
  ...Member.properties,
  user: Type.Object({ id: Type.String(), name: Type.String(), email: Type.String(), image: NullableString }),
})

/** Which organization a request is about; without either, the session's active one. */
export const OrganizationFields = { organizationId: Type.Optional(Id), organizationSlug: Type.Optional(Id) }

export const RoleName = OneRole('owner, admin or member')
