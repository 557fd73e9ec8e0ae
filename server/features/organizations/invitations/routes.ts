import type { FastifyReply, FastifyRequest } from 'fastify'
import { requireCaller, requireMembership } from '../../../core/access/access.ts'
import { toRole } from '../../../core/access/one-role.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import { recordRefusal } from '../../../core/audit/record-refusal.ts'
import type { Context } from '../../../core/context.ts'
import { isInviterAllowed } from '../../../core/invitations/allowed-inviter.ts'
import { listOpenInvitations } from '../../../core/invitations/details-store.ts'
import { INVITATION_ERRORS } from '../../../core/invitations/errors.ts'
import { getUsableInvitation } from '../../../core/invitations/get-usable-invitation.ts'
import { INVITATION_COOKIE_SECONDS, parseReference } from '../../../core/invitations/reference.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { toMember } from '../../../core/memberships/wire.ts'
import { findUserByEmail } from '../../../core/users/find-user.ts'
import { type Cookies, INVITATION_COOKIE } from '../../../platform/http/cookies.ts'
import { isRefusal } from '../../../platform/http/errors.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { redirectResponse, responses } from '../../../platform/http/schemas.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { cancelInvitation } from './cancel-invitation.ts'
import { getInvitation } from './get-invitation.ts'
import { inviteMember } from './invite-member.ts'
import { distinctRefusals, inviteMembers } from './invite-members.ts'
import { listInvitations } from './list-invitations.ts'
import { openInvitation } from './open-invitation.ts'
import { previewInvitation } from './preview-invitation.ts'
import { rejectInvitation } from './reject-invitation.ts'
import {
  AcceptResponse,
  CancelResponse,
  GetInvitationQuery,
  GetInvitationResponse,
  Invitation,
  InvitationIdBody,
  InviteMemberBody,
  InviteMembersBody,
  InviteMembersResponse,
  ListInvitationsQuery,
  ListInvitationsResponse,
  OpenedInvitationResponse,
  PreviewInvitationQuery,
  PreviewInvitationResponse,
  ReceivedInvitations,
  ReferenceParameters,
  RejectResponse,
} from './schemas.ts'
import {
  toInvitation,
  toInvitationOfRecipient,
  toInviteResult,
  toListedInvitation,
  toOpenedInvitation,
} from './wire.ts'

export function registerInvitationRoutes(
  app: HttpApp,
  context: Context,
  cookies: Cookies,
  rateLimits: RateLimits,
): void {
  app.post(
    '/api/auth/organization/invite-member',
    {
      config: { access: { organization: 'invitation.create' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Invite an email address into an organization',
        body: InviteMemberBody,
        response: responses(
          Invitation,
          'SESSION_NOT_FRESH',
          'TWO_FACTOR_REQUIRED',
          'INVALID_EMAIL',
          'ROLE_NOT_FOUND',
          'YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE',
          'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION',
          'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION',
          'INVITATION_NOT_FOUND',
          'INVITATION_LIMIT_REACHED',
        ),
      },
    },
    async (request) => {
      const { email, role, resend = false, expectedInvitationId: expectedId } = request.body
      const inviter = requireCaller(request)
      const invitation = await inviteMember(context, actorOf(request), inviter, requireMembership(request), {
        email,
        role: toRole(role),
        resend,
        expectedId,
        chargeInvitation: async () => {
          await rateLimits.chargeInvitations(inviter.user.id, 1)
        },
      })
      return toInvitation(invitation)
    },
  )

  app.post(
    '/api/auth/organization/invite-members',
    {
      config: { access: { organization: 'invitation.create' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Invite up to 500 email addresses, each of which is invited or refused',
        body: InviteMembersBody,
        response: responses(
          InviteMembersResponse,
          'SESSION_NOT_FRESH',
          'TWO_FACTOR_REQUIRED',
          'ROLE_NOT_FOUND',
          'YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE',
        ),
      },
    },
    async (request) => {
      const { emails, role } = request.body
      const membership = requireMembership(request)
      const inviter = requireCaller(request)
      const outcomes = await inviteMembers(context, actorOf(request), inviter, membership, {
        emails,
        role: toRole(role),
        chargeBatch: () => rateLimits.chargeCost(request),
        chargeInvitations: (count) => rateLimits.chargeInvitations(inviter.user.id, count),
      })
      // The response is 200, so no error handler records what was refused.
      for (const refusal of distinctRefusals(outcomes)) recordRefusal(context, request, refusal)
      return { results: outcomes.map((outcome, index) => toInviteResult(emails[index] ?? '', outcome)) }
    },
  )

  app.get(
    '/api/auth/organization/preview-invitation',
    {
      config: { access: { organization: 'invitation.create' }, rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: 'Get the email that an invitation sends, with a link that opens nothing',
        querystring: PreviewInvitationQuery,
        response: responses(PreviewInvitationResponse),
      },
    },
    async (request) => {
      const { organization } = requireMembership(request)
      return previewInvitation(context, requireCaller(request), organization, request.query.role)
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
        summary: 'Cancel an invitation',
        body: InvitationIdBody,
        response: responses(CancelResponse, 'ORGANIZATION_NOT_FOUND', 'INVITATION_ALREADY_USED'),
      },
    },
    async (request) => {
      const { invitationId } = request.body
      const invitation = toInvitation(
        await cancelInvitation(context, actorOf(request), requireMembership(request), invitationId),
      )
      return { message: `The invitation of ${invitation.email} is canceled.`, ...invitation, invitation }
    },
  )

  app.post(
    '/api/auth/organization/accept-invitation',
    {
      config: { access: 'verified session', rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Accept an invitation and become a member of its organization',
        body: InvitationIdBody,
        response: responses(
          AcceptResponse,
          ...INVITATION_ERRORS,
          'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION',
          'ORGANIZATION_MEMBERSHIP_LIMIT_REACHED',
        ),
      },
    },
    async (request, reply) => {
      const { invitationId } = request.body
      const { invitation, member } = await acceptInvitation(
        context,
        actorOf(request),
        requireCaller(request),
        invitationId,
      )
      clearCookieOf(invitationId, cookies, request, reply)
      return { invitation: toInvitation(invitation), member: toMember(member) }
    },
  )

  app.post(
    '/api/auth/organization/reject-invitation',
    {
      config: { access: 'verified session', rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: "Reject an invitation of the caller's email address",
        body: InvitationIdBody,
        response: responses(RejectResponse, 'INVITATION_NOT_FOUND', 'INVITATION_ALREADY_USED'),
      },
    },
    async (request, reply) => {
      const { invitationId } = request.body
      const invitation = await rejectInvitation(context, actorOf(request), requireCaller(request), invitationId)
      clearCookieOf(invitationId, cookies, request, reply)
      return { invitation: toInvitation(invitation), member: {} }
    },
  )

  app.get(
    '/api/auth/organization/list-invitations',
    {
      config: { access: { organization: 'invitation.create' }, rateLimit: 'list', impersonated: 'allowed' },
      schema: {
        summary: 'List the invitations of an organization, newest first, each with its timeline',
        querystring: ListInvitationsQuery,
        response: responses(ListInvitationsResponse),
      },
    },
    async (request) => {
      const { organization } = requireMembership(request)
      const { invitations, total } = await listInvitations(context, organization.id, request.query)
      const message = `${organization.name} has sent ${total === 1 ? '1 matching invitation' : `${total} matching invitations`}.`
      return { message, invitations: invitations.map(toListedInvitation), total }
    },
  )

  app.get(
    '/api/auth/organization/get-invitation',
    {
      config: { access: 'verified session', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: "Get an open invitation of the caller's email address",
        querystring: GetInvitationQuery,
        response: responses(GetInvitationResponse, ...INVITATION_ERRORS),
      },
    },
    async (request) => toInvitationOfRecipient(await getInvitation(context, requireCaller(request), request.query.id)),
  )

  app.get(
    '/api/auth/organization/list-user-invitations',
    {
      config: { access: 'verified session', rateLimit: 'list', impersonated: 'allowed' },
      schema: {
        summary: "List the open invitations of the caller's email address",
        response: responses(ReceivedInvitations),
      },
    },
    async (request) => {
      const { email } = requireCaller(request).user
      const now = context.now()
      const open = await listOpenInvitations(context.database, now, email)
      const usable = open.filter((details) => isInviterAllowed(details, now))
      return usable.map(({ invitation, organizationName }) => ({
        ...toInvitation(invitation),
        organizationName,
        teamId: null,
      }))
    },
  )

  app.get(
    '/invite/:reference',
    {
      exposeHeadRoute: false,
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: 'Target of the link in an invitation email; redirects to sign-up, sign-in or the invitation',
        params: ReferenceParameters,
        response: redirectResponse(
          '/sign-up, /sign-in or /invitation, with the parameter `error` when the invitation is refused',
        ),
      },
    },
    async (request, reply) => {
      const { reference } = request.params
      try {
        const { invitation } = await rateLimits.countGuess(request, () => openInvitation(context, reference))
        cookies.set(reply, INVITATION_COOKIE, reference, INVITATION_COOKIE_SECONDS)
        if (request.caller) return reply.redirect('/invitation')
        const isKnown = await findUserByEmail(context.database, invitation.email)
        return reply.redirect(isKnown ? '/sign-in' : '/sign-up')
      } catch (error) {
        if (!isRefusal(error)) throw error
        if (cookies.read(request, INVITATION_COOKIE) === reference) cookies.clear(reply, INVITATION_COOKIE)
        return reply.redirect(`/invitation?error=${error.code}`)
      }
    },
  )

  app.get(
    '/api/invitation',
    {
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: 'Get the invitation whose link this browser followed; null when there is none',
        response: responses(OpenedInvitationResponse, ...INVITATION_ERRORS),
      },
    },
    async (request) => {
      const reference = cookies.read(request, INVITATION_COOKIE)
      if (reference === undefined) return null
      const details = await rateLimits.countGuess(request, () =>
        getUsableInvitation(context.database, context.now(), reference),
      )
      const user = await findUserByEmail(context.database, details.invitation.email)
      return toOpenedInvitation(details, user !== undefined)
    },
  )
}

/** Another tab may need the cookie of another invitation. */
function clearCookieOf(invitationId: string, cookies: Cookies, request: FastifyRequest, reply: FastifyReply): void {
  const reference = parseReference(cookies.read(request, INVITATION_COOKIE) ?? '')
  if (reference?.id === invitationId) cookies.clear(reply, INVITATION_COOKIE)
}
