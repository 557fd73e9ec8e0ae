import { requireCaller, requireMembership } from '../../../core/access/access.ts'
import {
  hasOrganizationPermission,
  listOrganizationPermissions,
} from '../../../core/access/organization-permissions.ts'
import { answerPermissions, PermissionsResponse } from '../../../core/access/permissions-response.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { MEMBERSHIPS_PER_PAGE } from '../../../core/field-limits.ts'
import { toMember, toMemberOfUser } from '../../../core/memberships/wire.ts'
import { isSlugTaken, listOrganizationsOf } from '../../../core/organizations/store.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { pageFields, parsePage } from '../../../platform/http/paging.ts'
import { Query, responses } from '../../../platform/http/schemas.ts'
import { listInvitations } from '../invitations/list-invitations.ts'
import { toListedInvitation } from '../invitations/wire.ts'
import { listMembers } from '../members/list-members.ts'
import { createOrganization } from './create-organization.ts'
import { deleteOrganization } from './delete-organization.ts'
import { getOverview } from './get-overview.ts'
import { resolveNamedMembership } from './named-membership.ts'
import {
  CheckSlugBody,
  CheckSlugResponse,
  CreatedOrganization,
  CreateOrganizationBody,
  DeletedOrganizationId,
  DeleteOrganizationBody,
  FullOrganizationResponse,
  GetFullOrganizationQuery,
  GetOrganizationQuery,
  GetOverviewQuery,
  HasPermissionBody,
  Organization,
  OrganizationList,
  OrganizationResponse,
  Overview,
  SetActiveBody,
  UpdateOrganizationBody,
} from './schemas.ts'
import { setActiveOrganization } from './set-active-organization.ts'
import { updateOrganization } from './update-organization.ts'
import { toOrganization } from './wire.ts'

export function registerOrganizationRoutes(app: HttpApp, context: Context): void {
  app.post(
    '/api/auth/organization/create',
    {
      config: { access: 'verified session', rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Create an organization with the caller as owner',
        body: CreateOrganizationBody,
        response: responses(
          CreatedOrganization,
          'YOU_ARE_NOT_ALLOWED_TO_CREATE_A_NEW_ORGANIZATION',
          'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS',
          'ORGANIZATION_SLUG_ALREADY_TAKEN',
        ),
      },
    },
    async (request) => {
      const { keepCurrentActiveOrganization = false, name, slug, logo = null, metadata = null } = request.body
      const input = { name, slug, logo, metadata, keepCurrentActiveOrganization }
      const { organization, owner } = await createOrganization(context, actorOf(request), requireCaller(request), input)
      return { ...toOrganization(organization), members: [toMember(owner)] }
    },
  )

  app.post(
    '/api/auth/organization/check-slug',
    {
      config: { access: 'verified session', rateLimit: 'change', impersonated: 'allowed' },
      schema: {
        summary: 'Whether a slug is free',
        body: CheckSlugBody,
        response: responses(CheckSlugResponse, 'ORGANIZATION_SLUG_ALREADY_TAKEN'),
      },
    },
    async (request) => {
      if (await isSlugTaken(context.database, request.body.slug))
        throw new ApiError('ORGANIZATION_SLUG_ALREADY_TAKEN', { field: 'slug' })
      return { message: 'No organization has this slug yet.', status: true }
    },
  )

  app.post(
    '/api/auth/organization/set-active',
    {
      config: { access: 'session', rateLimit: 'change', impersonated: 'allowed' },
      schema: {
        summary: 'Set the active organization of the session, by id or slug; a null id clears it',
        body: SetActiveBody,
        response: responses(OrganizationResponse, 'ORGANIZATION_NOT_FOUND'),
      },
    },
    async (request) => {
      const organization = await setActiveOrganization(context, actorOf(request), requireCaller(request), request.body)
      return organization && toOrganization(organization)
    },
  )

  app.post(
    '/api/auth/organization/update',
    {
      config: { access: { organization: 'organization.update' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Update the fields of an organization that `data` names',
        body: UpdateOrganizationBody,
        response: responses(
          Organization,
          'METADATA_CHANGED',
          'SESSION_NOT_FRESH',
          'TWO_FACTOR_REQUIRED',
          'ORGANIZATION_SLUG_ALREADY_TAKEN',
        ),
      },
    },
    async (request) => {
      const caller = requireCaller(request)
      const membership = requireMembership(request)
      const { data, expectedMetadata } = request.body
      const update = { ...data, expectedMetadata }
      return toOrganization(await updateOrganization(context, actorOf(request), caller, membership, update))
    },
  )

  app.post(
    '/api/auth/organization/delete',
    {
      config: {
        access: { organization: 'organization.delete', fresh: true },
        rateLimit: 'change',
        impersonated: 'refused',
      },
      schema: {
        summary: 'Delete an organization with its members, invitations, API keys and apps',
        body: DeleteOrganizationBody,
        response: responses(DeletedOrganizationId),
      },
    },
    async (request, reply) => {
      reply.type('application/json; charset=utf-8')
      return JSON.stringify(
        await deleteOrganization(context, actorOf(request), requireCaller(request), requireMembership(request)),
      )
    },
  )

  app.get(
    '/api/auth/organization/list',
    {
      config: { access: 'session', rateLimit: 'list', impersonated: 'allowed', otherOrigins: 'allowed' },
      schema: {
        summary: 'List the organizations of the caller, oldest membership first, at most 1,000',
        querystring: Query(pageFields(MEMBERSHIPS_PER_PAGE)),
        response: responses(OrganizationList),
      },
    },
    async (request) => {
      const page = parsePage(request.query, MEMBERSHIPS_PER_PAGE)
      const organizations = await listOrganizationsOf(context.database, requireCaller(request).user.id, page)
      return organizations.map(({ role, ...organization }) => ({ ...toOrganization(organization), role }))
    },
  )

  app.get(
    '/api/auth/organization/get-organization',
    {
      config: { access: 'verified session', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary:
          'Get an organization by id or slug, by default the active organization of the session; null when there is none',
        querystring: GetOrganizationQuery,
        response: responses(OrganizationResponse, 'ORGANIZATION_NOT_FOUND'),
      },
    },
    async (request) => {
      const membership = await resolveNamedMembership(context, requireCaller(request), request.query)
      return membership ? toOrganization(membership.organization) : null
    },
  )

  app.get(
    '/api/auth/organization/get-full-organization',
    {
      config: { access: 'verified session', rateLimit: 'list', impersonated: 'allowed' },
      schema: {
        summary: 'Get an organization with its first members and, when the caller may invite, its latest invitations',
        querystring: GetFullOrganizationQuery,
        response: responses(FullOrganizationResponse, 'ORGANIZATION_NOT_FOUND'),
      },
    },
    async (request) => {
      const { membersLimit: limit, ...named } = request.query
      const membership = await resolveNamedMembership(context, requireCaller(request), named)
      if (!membership) return null
      const { organization, member } = membership
      const { members } = await listMembers(context, organization.id, limit === undefined ? {} : { limit })
      const { invitations } = hasOrganizationPermission(member.role, 'invitation.create')
        ? await listInvitations(context, organization.id, {})
        : { invitations: [] }
      return {
        ...toOrganization(organization),
        members: members.map(toMemberOfUser),
        invitations: invitations.map(toListedInvitation),
      }
    },
  )

  app.get(
    '/api/auth/organization/get-overview',
    {
      config: { access: { organization: 'membership' }, rateLimit: 'slow list', impersonated: 'allowed' },
      schema: {
        summary: 'Get an organization with its counts and with what needs attention',
        querystring: GetOverviewQuery,
        response: responses(Overview),
      },
    },
    async (request) => getOverview(context, requireCaller(request), requireMembership(request)),
  )

  app.post(
    '/api/auth/organization/has-permission',
    {
      config: { access: { organization: 'membership' }, rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: "Whether the caller's role grants all of `{resource: [action, …]}`",
        body: HasPermissionBody,
        response: responses(PermissionsResponse),
      },
    },
    async (request) => {
      const { role } = requireMembership(request).member
      return answerPermissions(request.body.permissions, listOrganizationPermissions(role))
    },
  )
}
