import { Type } from 'typebox'
import { Member, MemberOfUser, MemberRole, OrganizationFields, RoleName } from '../../../core/memberships/schemas.ts'
import { EmailAddress, Fields, Id, Query } from '../../../platform/http/schemas.ts'
import { KeysOfLeaverFields, RevokeApiKeys } from '../api-keys/leaver-schemas.ts'

export const ListMembersResponse = Type.Object({
  message: Type.String(),
  members: Type.Array(MemberOfUser),
  total: Type.Integer({ description: 'number of members that match the filter, on all pages' }),
})

export const ActiveRoleQuery = Query({ ...OrganizationFields, userId: Type.Optional(Id) })
export const ActiveRoleResponse = Type.Object({ message: Type.String(), role: MemberRole })

export const LeaveBody = Fields({ organizationId: Id, revokeApiKeys: RevokeApiKeys })
export const LeaveResponse = Type.Object({ message: Type.String(), ...Member.properties, ...KeysOfLeaverFields })

export const RemoveMemberBody = Fields({
  memberIdOrEmail: EmailAddress,
  revokeApiKeys: RevokeApiKeys,
  ...OrganizationFields,
})
export const RemoveMemberResponse = Type.Object({ member: Member, ...KeysOfLeaverFields })

export const UpdateMemberRoleBody = Fields({ memberId: Id, role: RoleName, ...OrganizationFields })
export const TransferOwnershipBody = Fields({ memberId: Id, ...OrganizationFields })
export const TransferOwnershipResponse = Type.Object({
  members: Type.Array(Member, { description: 'the new owner, and the caller, who is now an admin' }),
})

/** The contract names `member`; the official client reads its fields at the top level. */
export const UpdateMemberRoleResponse = Type.Object({ ...Member.properties, member: Member })
