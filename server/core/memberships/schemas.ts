import { Type } from 'typebox'
import { KeysOfLeaverFields, RevokeApiKeys } from '../../features/organizations/api-keys/leaver-schemas.ts'
import { Email, Fields, Id, NullableString, Query, Timestamp } from '../../platform/http/schemas.ts'
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

export const ListMembersAnswer = Type.Object({
  message: Type.String(),
  members: Type.Array(MemberOfUser),
  total: Type.Integer({ description: 'how many fit the filter, on all pages' }),
})

export const ActiveRoleQuery = Query({ ...OrganizationFields, userId: Type.Optional(Id) })
export const ActiveRoleAnswer = Type.Object({ message: Type.String(), role: Type.String() })

export const LeaveBody = Fields({ organizationId: Id, revokeApiKeys: RevokeApiKeys })
export const LeaveAnswer = Type.Object({ message: Type.String(), ...Member.properties, ...KeysOfLeaverFields })

export const RemoveMemberBody = Fields({
  memberIdOrEmail: Email,
  revokeApiKeys: RevokeApiKeys,
  ...OrganizationFields,
})
export const RemoveMemberAnswer = Type.Object({ member: Member, ...KeysOfLeaverFields })

export const UpdateMemberRoleBody = Fields({ memberId: Id, role: RoleName, ...OrganizationFields })
/** The contract names `member`; the official client reads its fields at the top. */
export const UpdateMemberRoleAnswer = Type.Object({ ...Member.properties, member: Member })
