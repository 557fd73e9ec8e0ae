import { callerOf, membershipOf } from '../../../core/access/access.ts'
import { answerPermissions, PermissionsAnswer } from '../../../core/access/has-permission.ts'
import {
  hasOrganizationPermission,
  listOrganizationPermissions,
} from '../../../core/access/organization-permissions.ts'
import type { Context } from '../../../core/context.ts'
import { toMemberOfUser } from '../../../core/memberships/wire.ts'
import { listOrganizationsOf } from '../../../core/organizations/store.ts'
import { answers, Query } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/typed-app.ts'
import { listInvitations } from '../invitations/list-invitations.ts'
import { toInvitationWithTimeline } from '../invitations/wire.ts'
import { listMembers } from '../members/list-members.ts'
import { getNamedMembership } from './named-membership.ts'
import {
  FullOrganizationAnswer,
  GetFullOrganizationQuery,
  GetOrganizationQuery,
  HasPermissionBody,
  OrganizationAnswer,
  OrganizationList,
} from './schemas.ts'
import { toOrganization } from './wire.ts'

export function registerOrganizationReadRoutes(app: App, context: Context): void {
  const { database } = context

  app.get(
    '/api/auth/organization/list',
    {
      config: { access: 'session', rateLimit: 'none', impersonated: 'allowed', otherOrigins: 'allowed' },
      schema: {
        summary: 'List the organizations of the caller',
        querystring: Query({}),
        response: answers(OrganizationList),
      },
    },
    async (request) => (await listOrganizationsOf(database, callerOf(request).user.id)).map(toOrganization),
  )

  app.get(
    '/api/auth/organization/get-organization',
    {
      config: { access: 'verified session', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary:
          'Get an organization by id or slug, by default the active organization of the session; null when there is none',
        querystring: GetOrganizationQuery,
        response: answers(OrganizationAnswer, 'ORGANIZATION_NOT_FOUND'),
      },
    },
    async (request) => {
      const membership = await getNamedMembership(context, callerOf(request), request.query)
      return membership && toOrganization(membership.organization)
    },
  )

  app.get(
    '/api/auth/organization/get-full-organization',
    {
      config: { access: 'verified session', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: 'Get an organization with its first members and, when the caller may invite, its latest invitations',
        querystring: GetFullOrganizationQuery,
        response: answers(FullOrganizationAnswer, 'ORGANIZATION_NOT_FOUND'),
      },
    },
    async (request) => {
      const { membersLimit: limit, ...named } = request.query
      const membership = await getNamedMembership(context, callerOf(request), named)
      if (!membership) return null
      const { organization, member } = membership
      const { members } = await listMembers(context, organization.id, limit === undefined ? {} : { limit })
      const { invitations } = hasOrganizationPermission(member.role, 'invitation.create')
        ? await listInvitations(context, organization.id, {})
        : { invitations: [] }
      return {
        ...toOrganization(organization),
        members: members.map(toMemberOfUser),
        invitations: invitations.map(toInvitationWithTimeline),
      }
    },
  )

  app.post(
    '/api/auth/organization/has-permission',
    {
      config: { access: { organization: 'membership' }, rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: "Whether the caller's role grants all of `{resource: [action, …]}`",
        body: HasPermissionBody,
        response: answers(PermissionsAnswer),
      },
    },
    async (request) => {
      const { role } = membershipOf(request).member
      return answerPermissions(request.body.permissions, listOrganizationPermissions(role))
    },
  )
}
