import { callerOf, membershipOf } from '../../../core/access/access.ts'
import { toRole } from '../../../core/access/one-role.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { INVITATION_ERRORS } from '../../../core/invitations/errors.ts'
import { toMember } from '../../../core/memberships/wire.ts'
import { type Cookies, INVITATION_COOKIE } from '../../../platform/http/cookies.ts'
import { answers } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/typed-app.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { cancelInvitation } from './cancel-invitation.ts'
import { inviteMember } from './invite-member.ts'
import { rejectInvitation } from './reject-invitation.ts'
import { AcceptAnswer, CancelAnswer, Invitation, InvitationIdBody, InviteMemberBody, RejectAnswer } from './schemas.ts'
import { toInvitation } from './wire.ts'

/** Inviting, withdrawing, accepting, declining. */
export function registerInvitationRoutes(app: App, context: Context, cookies: Cookies): void {
  app.post(
    '/api/auth/organization/invite-member',
    {
      config: { access: { organization: 'invitation.create' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Invite an address into an organization, by letter',
        body: InviteMemberBody,
        response: answers(
          Invitation,
          'INVALID_EMAIL',
          'ROLE_NOT_FOUND',
          'YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE',
          'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION',
          'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION',
          'INVITATION_LIMIT_REACHED',
        ),
      },
    },
    async (request) => {
      const { email, role, resend = false } = request.body
      const input = { email, role: toRole(role), resend }
      return toInvitation(
        await inviteMember(context, actorOf(request), callerOf(request), membershipOf(request), input),
      )
    },
  )

  app.post(
    '/api/auth/organization/cancel-invitation',
    {
      config: {
        access: { organization: 'invitation.cancel', namedBy: 'invitation' },
        rateLimit: 'change',
        impersonated: 'refused',
      },
      schema: {
        summary: 'Withdraw an invitation',
        body: InvitationIdBody,
        response: answers(CancelAnswer, 'ORGANIZATION_NOT_FOUND', 'INVITATION_ALREADY_USED'),
      },
    },
    async (request) => {
      const { invitationId } = request.body
      const invitation = toInvitation(
        await cancelInvitation(context, actorOf(request), membershipOf(request), invitationId),
      )
      return { message: `The invitation of ${invitation.email} is withdrawn.`, ...invitation, invitation }
    },
  )

  app.post(
    '/api/auth/organization/accept-invitation',
    {
      config: { access: 'verified session', rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Join the organization that invited the caller',
        body: InvitationIdBody,
        response: answers(
          AcceptAnswer,
          ...INVITATION_ERRORS,
          'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION',
          'ORGANIZATION_MEMBERSHIP_LIMIT_REACHED',
        ),
      },
    },
    async (request, reply) => {
      const { invitationId } = request.body
      const { invitation, member } = await acceptInvitation(context, actorOf(request), callerOf(request), invitationId)
      cookies.clear(reply, INVITATION_COOKIE)
      return { invitation: toInvitation(invitation), member: toMember(member) }
    },
  )

  app.post(
    '/api/auth/organization/reject-invitation',
    {
      config: { access: 'verified session', rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: "Decline an invitation of the caller's address",
        body: InvitationIdBody,
        response: answers(RejectAnswer, 'INVITATION_NOT_FOUND', 'INVITATION_ALREADY_USED'),
      },
    },
    async (request, reply) => {
      const { invitationId } = request.body
      const invitation = await rejectInvitation(context, actorOf(request), callerOf(request), invitationId)
      cookies.clear(reply, INVITATION_COOKIE)
      return { invitation: toInvitation(invitation), member: {} }
    },
  )
}
