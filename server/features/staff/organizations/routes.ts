import { requireStaff } from '../../../core/access/access.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { MEMBERSHIPS_PER_PAGE } from '../../../core/field-limits.ts'
import { listMembershipsOf } from '../../../core/memberships/store.ts'
import { toMemberOfUser } from '../../../core/memberships/wire.ts'
import { getUser } from '../../../core/users/find-user.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { type Page, parseListPage, parsePage, readUncountedPage } from '../../../platform/http/paging.ts'
import { responses } from '../../../platform/http/schemas.ts'
import { toIso, toIsoOrNull } from '../../../platform/http/time.ts'
import { readInvitations } from '../../organizations/invitations/list-invitations.ts'
import { toInvitation } from '../../organizations/invitations/wire.ts'
import { readMemberPage } from '../../organizations/members/store.ts'
import { toOrganization } from '../../organizations/organizations/wire.ts'
import { createOrganizationForOwner } from './create-organization-for-owner.ts'
import { getOrganization, requireOrganization } from './get-organization.ts'
import { inviteOwner } from './invite-owner.ts'
import { listOrganizations } from './list-organizations.ts'
import { ListOrganizationsQuery, parseListOrganizationsQuery } from './parse-query.ts'
import {
  CreateOrganizationForOwnerBody,
  CreateOrganizationForOwnerResponse,
  GetCountedOrganizationQuery,
  GetCountedOrganizationResponse,
  InviteOwnerBody,
  InviteOwnerResponse,
  ListAllInvitationsQuery,
  ListAllInvitationsResponse,
  ListMembershipsQuery,
  ListMembershipsResponse,
  ListOrganizationMembersQuery,
  ListOrganizationMembersResponse,
  ListOrganizationsResponse,
} from './schemas.ts'
import { toInvitationOfStaff } from './wire.ts'

export function registerStaffOrganizationRoutes(app: HttpApp, context: Context): void {
  app.post(
    '/api/auth/admin/create-organization',
    {
      config: { access: { staff: 'organization.create', fresh: true }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Create an organization without members, and invite its owner by email',
        body: CreateOrganizationForOwnerBody,
        response: responses(CreateOrganizationForOwnerResponse, 'INVALID_EMAIL', 'ORGANIZATION_SLUG_ALREADY_TAKEN'),
      },
    },
    async (request) => {
      const input = { metadata: null, ...request.body }
      const staff = requireStaff(request)
      const { organization, invitation } = await createOrganizationForOwner(context, actorOf(request), staff, input)
      return { organization: toOrganization(organization), invitation: toInvitation(invitation) }
    },
  )

  app.post(
    '/api/auth/admin/invite-owner',
    {
      config: { access: { staff: 'organization.create', fresh: true }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary:
          'Invite an owner into an organization without one who is not banned, and cancel its other invitations of owners',
        body: InviteOwnerBody,
        response: responses(InviteOwnerResponse, 'INVALID_EMAIL', 'ORGANIZATION_NOT_FOUND', 'ORGANIZATION_HAS_OWNER'),
      },
    },
    async (request) => {
      const invitation = await inviteOwner(context, actorOf(request), requireStaff(request), request.body)
      return { invitation: toInvitation(invitation) }
    },
  )

  app.get(
    '/api/auth/admin/list-organizations',
    {
      config: { access: { staff: 'organization.list' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'List organizations: searched, filtered, sorted, a page at a time',
        querystring: ListOrganizationsQuery,
        response: responses(ListOrganizationsResponse),
      },
    },
    async (request) => {
      const listing = parseListOrganizationsQuery(request.query)
      const { organizations, total } = await listOrganizations(context, listing)
      const { limit, offset } = listing
      return { organizations: organizations.map((row) => ({ ...row, ...toOrganization(row) })), total, limit, offset }
    },
  )

  app.get(
    '/api/auth/admin/get-organization',
    {
      config: { access: { staff: 'organization.list' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Get an organization with its counts, by id or slug',
        querystring: GetCountedOrganizationQuery,
        response: responses(GetCountedOrganizationResponse, 'ORGANIZATION_NOT_FOUND'),
      },
    },
    async (request) => {
      const organization = await getOrganization(context, request.query)
      return { organization: { ...organization, ...toOrganization(organization) } }
    },
  )

  app.get(
    '/api/auth/admin/list-organization-members',
    {
      config: { access: { staff: 'organization.list' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'List the members of an organization, oldest first',
        querystring: ListOrganizationMembersQuery,
        response: responses(ListOrganizationMembersResponse, 'ORGANIZATION_NOT_FOUND'),
      },
    },
    async (request) => {
      const { slowReads } = context
      const { organizationId } = request.query
      const page = parseListPage(request.query)
      await requireOrganization(slowReads, { id: organizationId })
      const order = { sortBy: 'createdAt', direction: 'asc' } as const
      const { members, total } = await readMemberPage(slowReads, organizationId, page, order, {
        search: '',
        filter: undefined,
      })
      return { members: members.map(toMemberOfUser), total, ...page }
    },
  )

  app.get(
    '/api/auth/admin/list-user-memberships',
    {
      config: { access: { staff: 'organization.list' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'List the organizations of a user with the role in each, oldest membership first, at most 1,000',
        querystring: ListMembershipsQuery,
        response: responses(ListMembershipsResponse, 'USER_NOT_FOUND'),
      },
    },
    async (request) => {
      const { userId } = request.query
      await getUser(context.database, userId)
      const page = parsePage(request.query, MEMBERSHIPS_PER_PAGE)
      const read = (more: Page) => listMembershipsOf(context.slowReads, userId, more)
      const { rows: memberships, hasMore } = await readUncountedPage(page, read)
      return {
        memberships: memberships.map(({ createdAt, lastUsedAt, ...membership }) => {
          return { ...membership, createdAt: toIso(createdAt), lastUsedAt: toIsoOrNull(lastUsedAt) }
        }),
        ...page,
        hasMore,
      }
    },
  )

  app.get(
    '/api/auth/admin/list-invitations',
    {
      config: { access: { staff: 'invitation.list' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'List invitations of all organizations, newest first, each with its timeline',
        querystring: ListAllInvitationsQuery,
        response: responses(ListAllInvitationsResponse),
      },
    },
    async (request) => {
      const page = parseListPage(request.query)
      const { invitations, total } = await readInvitations(context, request.query, page)
      return { invitations: invitations.map((row) => toInvitationOfStaff(row, context.now())), total, ...page }
    },
  )
}
