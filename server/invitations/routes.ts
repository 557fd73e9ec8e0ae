import { actorOf } from '../audit/actor.ts'
import type { Context } from '../context.ts'
import { callerOf, membershipOf } from '../http/access.ts'
import { type Cookies, INVITATION_COOKIE } from '../http/cookies.ts'
import { ApiError } from '../http/errors.ts'
import { answers } from '../http/schemas.ts'
import type { App } from '../http/typed-app.ts'
import { toMember } from '../organizations/wire.ts'
import { findUserByEmail } from '../users/find-user.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { findUsableInvitation } from './find-usable-invitation.ts'
import { inviteMember } from './invite-member.ts'
import {
  AcceptAnswer,
  Invitation,
  InvitationIdBody,
  InviteMemberBody,
  OpenedInvitationAnswer,
  ReferenceParameters,
} from './schemas.ts'
import { toInvitation, toOpenedInvitation } from './wire.ts'

const INVITATION_COOKIE_SECONDS = 3_600

/** Inviting, following the letter's link, accepting. */
export function registerInvitationRoutes(app: App, context: Context, cookies: Cookies): void {
  app.post(
    '/api/auth/organization/invite-member',
    {
      config: { access: { organization: 'invitation.create' }, rateLimit: 'mail', impersonated: 'allowed' },
      schema: {
        summary: 'Invite an address into an organization, by letter',
        body: InviteMemberBody,
        response: answers(Invitation, 'UNAUTHORIZED', 'FORBIDDEN', 'ORGANIZATION_NOT_FOUND', 'ROLE_NOT_FOUND'),
      },
    },
    async (request) => {
      const { email, role, resend = false } = request.body
      const input = { email, role, resend }
      return toInvitation(
        await inviteMember(context, actorOf(request), callerOf(request), membershipOf(request), input),
      )
    },
  )

  app.get(
    '/invite/:reference',
    {
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: "The target of the invitation letter's link: on to sign-up, sign-in or acceptance",
        params: ReferenceParameters,
      },
    },
    async (request, reply) => {
      const { reference } = request.params
      try {
        const { invitation } = await findUsableInvitation(context.database, context.now(), reference)
        cookies.set(reply, INVITATION_COOKIE, reference, INVITATION_COOKIE_SECONDS)
        if (request.caller) return reply.redirect('/invitation')
        const isKnown = await findUserByEmail(context.database, invitation.email)
        return reply.redirect(isKnown ? '/sign-in' : '/sign-up')
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        cookies.clear(reply, INVITATION_COOKIE)
        return reply.redirect(`/invitation?error=${error.code}`)
      }
    },
  )

  app.get(
    '/api/invitation',
    {
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: 'The invitation whose link this browser followed; null when it followed none',
        response: answers(OpenedInvitationAnswer, 'INVITATION_NOT_FOUND', 'INVITATION_EXPIRED'),
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const reference = cookies.read(request, INVITATION_COOKIE)
      if (reference === undefined) return null
      const details = await findUsableInvitation(context.database, context.now(), reference)
      const user = await findUserByEmail(context.database, details.invitation.email)
      return toOpenedInvitation(details, user !== undefined)
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
          'UNAUTHORIZED',
          'EMAIL_NOT_VERIFIED',
          'INVITATION_NOT_FOUND',
          'INVITATION_EXPIRED',
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
}
