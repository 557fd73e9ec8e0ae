import { Type } from 'typebox'
import { Email, Fields, Id, NullableString, Timestamp } from '../http/schemas.ts'
import { Member } from '../organizations/schemas.ts'

export const Invitation = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: Type.String(),
  organizationId: Type.String(),
  inviterId: Type.String(),
  status: Type.String({ description: 'pending, accepted, rejected or canceled' }),
  expiresAt: Timestamp,
  createdAt: Timestamp,
})

export const InviteMemberBody = Fields({
  email: Email,
  role: Type.String({ minLength: 1, maxLength: 64, description: 'owner, admin or member' }),
  organizationId: Type.Optional(Id),
  organizationSlug: Type.Optional(Id),
  resend: Type.Optional(Type.Boolean()),
})

export const InvitationIdBody = Fields({ invitationId: Id })
export const AcceptAnswer = Type.Object({ invitation: Invitation, member: Member })

export const ReferenceParameters = Fields({ reference: Type.String({ maxLength: 256 }) })
/** What the sign-up and acceptance pages show. */
export const OpenedInvitation = Type.Object({
  invitation: Type.Object({
    id: Type.String(),
    email: Type.String(),
    role: Type.String(),
    organizationName: Type.String(),
    organizationSlug: Type.String(),
    inviterName: NullableString,
    expiresAt: Timestamp,
  }),
  addressKnown: Type.Boolean({ description: 'whether the invited address has an account' }),
})
export const OpenedInvitationAnswer = Type.Union([OpenedInvitation, Type.Null()])
