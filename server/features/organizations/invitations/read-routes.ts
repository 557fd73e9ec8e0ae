import { callerOf, membershipOf } from '../../../core/access/access.ts'
import type { Context } from '../../../core/context.ts'
import { INVITATION_ERRORS } from '../../../core/invitations/errors.ts'
import { answers, Query } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/typed-app.ts'
import { getInvitation } from './get-invitation.ts'
import { listInvitations } from './list-invitations.ts'
import { listUserInvitations } from './list-user-invitations.ts'
import {
  GetInvitationAnswer,
  GetInvitationQuery,
  ListInvitationsAnswer,
  ListInvitationsQuery,
  ReceivedInvitations,
} from './schemas.ts'
import { toInvitation, toInvitationOfRecipient, toInvitationWithTimeline } from './wire.ts'

/** Invitations: those that an organization has sent, and those that the caller has received. */
export function registerInvitationReadRoutes(app: App, context: Context): void {
  app.get(
    '/api/auth/organization/list-invitations',
    {
      config: { access: { organization: 'invitation.create' }, rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: 'The invitations of an organization, newest first, each with what has become of it',
        querystring: ListInvitationsQuery,
        response: answers(ListInvitationsAnswer),
      },
    },
    async (request) => {
      const { organization } = membershipOf(request)
      const { invitations, total } = await listInvitations(context, organization.id, request.query)
      const message = `${organization.name} has sent ${total === 1 ? 'one invitation' : `${total} invitations`}.`
      return { message, invitations: invitations.map(toInvitationWithTimeline), total }
    },
  )

  app.get(
    '/api/auth/organization/get-invitation',
    {
      config: { access: 'verified session', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: "An open invitation of the caller's address",
        querystring: GetInvitationQuery,
        response: answers(GetInvitationAnswer, ...INVITATION_ERRORS),
      },
    },
    async (request) => toInvitationOfRecipient(await getInvitation(context, callerOf(request), request.query.id)),
  )

  app.get(
    '/api/auth/organization/list-user-invitations',
    {
      config: { access: 'verified session', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: "The open invitations of the caller's address",
        querystring: Query({}),
        response: answers(ReceivedInvitations),
      },
    },
    async (request) => {
      const invitations = await listUserInvitations(context, callerOf(request))
      return invitations.map((invitation) => ({
        ...toInvitation(invitation),
        organizationName: invitation.organizationName,
        teamId: null,
      }))
    },
  )
}
