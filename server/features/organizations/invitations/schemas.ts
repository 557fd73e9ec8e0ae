import { Type } from 'typebox'
import { INVITED_EMAILS_MAXIMUM } from '../../../core/field-limits.ts'
import { INVITATION_STATUSES } from '../../../core/invitations/matching-invitations.ts'
import { Member, MemberRole, OrganizationFields, RoleName } from '../../../core/memberships/schemas.ts'
import { pageFields } from '../../../platform/http/paging.ts'
import {
  Described,
  EmailAddress,
  Fields,
  Id,
  NullableString,
  OneOf,
  Query,
  Timestamp,
} from '../../../platform/http/schemas.ts'
import { TIMELINE_EVENTS } from './timeline.ts'

export const Invitation = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: MemberRole,
  organizationId: Type.String(),
  inviterId: Type.String(),
  status: OneOf('pending', 'accepted', 'rejected', 'canceled'),
  expiresAt: Timestamp,
  createdAt: Timestamp,
})

export const InviteMemberBody = Fields({
  email: EmailAddress,
  role: RoleName,
  ...OrganizationFields,
  resend: Type.Optional(Type.Boolean({ description: 'true: renews the open invitation of this email address' })),
  expectedInvitationId: Type.Optional(Described(Id, 'the id of the invitation that you have read')),
})

export const InviteMembersBody = Fields({
  emails: Type.Array(Type.String({ maxLength: 320 }), {
    minItems: 1,
    maxItems: INVITED_EMAILS_MAXIMUM,
    description: `1 to ${INVITED_EMAILS_MAXIMUM} email addresses`,
  }),
  role: RoleName,
  ...OrganizationFields,
})
export const InviteMembersResponse = Type.Object({
  results: Type.Array(
    Type.Object({
      email: Type.String({ description: 'as in the request' }),
      status: OneOf('invited', 'refused'),
      invitationId: Type.Optional(Type.String()),
      code: Type.Optional(Type.String({ description: 'of the refusal' })),
      message: Type.Optional(Type.String({ description: 'of the refusal' })),
    }),
    { description: 'one for each email address, in the order of the request' },
  ),
})

export const PreviewInvitationQuery = Query({ ...OrganizationFields, role: MemberRole })
export const PreviewInvitationResponse = Type.Object({
  subject: Type.String(),
  text: Type.String(),
  html: Type.String({ description: 'a whole document; show it in a sandboxed frame' }),
})

export const InvitationIdBody = Fields({ invitationId: Id })
export const AcceptResponse = Type.Object({ invitation: Invitation, member: Member })
export const RejectResponse = Type.Object({
  invitation: Invitation,
  member: Type.Object({}, { description: 'empty: a rejected invitation adds no member' }),
})
/** The contract names `message`; the official client reads the fields of the invitation at the top level. */
export const CancelResponse = Type.Object({ message: Type.String(), ...Invitation.properties, invitation: Invitation })

const SenderFields = {
  organizationName: Type.String(),
  organizationSlug: Type.String(),
  organizationLogo: NullableString,
  inviterName: NullableString,
  inviterEmail: NullableString,
}

export const GetInvitationQuery = Query({ id: Id })
export const GetInvitationResponse = Type.Object({ ...Invitation.properties, ...SenderFields })

export const ListedInvitation = Type.Object({
  ...Invitation.properties,
  inviterMayInvite: Type.Boolean({
    description: 'false: if it is open, it can only be accepted after it is sent again (INVITER_NO_LONGER_ALLOWED)',
  }),
  timeline: Type.Array(
    Type.Object({
      event: Described(OneOf(...TIMELINE_EVENTS), 'queued, sent, delayed and failed are about the email'),
      at: Timestamp,
      answer: Described(NullableString, "the mail server's response to the email, or why there is none"),
    }),
  ),
})
export const INVITATIONS_PER_PAGE_MAXIMUM = 100
export const ListInvitationsQuery = Fields({
  ...OrganizationFields,
  email: Type.Optional(
    Type.String({ maxLength: 320, pattern: '^[^\\u0000]*$', description: 'a part of the email address' }),
  ),
  status: Type.Optional(OneOf(...INVITATION_STATUSES)),
  ...pageFields(INVITATIONS_PER_PAGE_MAXIMUM),
})
export const ListInvitationsResponse = Type.Object({
  message: Type.String(),
  invitations: Type.Array(ListedInvitation),
  total: Type.Integer({ description: 'number of invitations that match the filter, on all pages' }),
})

export const ReceivedInvitations = Type.Array(
  Type.Object({ ...Invitation.properties, organizationName: Type.String(), teamId: NullableString }),
)

export const ReferenceParameters = Fields({ reference: Type.String({ maxLength: 256 }) })
export const OpenedInvitation = Type.Object({
  invitation: Type.Object({
    id: Type.String(),
    email: Type.String(),
    role: MemberRole,
    ...SenderFields,
    expiresAt: Timestamp,
  }),
  addressKnown: Type.Boolean({ description: 'whether the invited email address has an account' }),
})
export const OpenedInvitationResponse = Type.Union([OpenedInvitation, Type.Null()])
