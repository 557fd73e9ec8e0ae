import { requireCaller, requireMembership } from '../../../core/access/access.ts'
import { toRole } from '../../../core/access/one-role.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { MemberOfUser } from '../../../core/memberships/schemas.ts'
import { findMember } from '../../../core/memberships/store.ts'
import { toMember, toMemberOfUser } from '../../../core/memberships/wire.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { Query, responses } from '../../../platform/http/schemas.ts'
import { toKeysOfLeaver } from '../api-keys/leaver-wire.ts'
import { leaveOrganization } from './leave-organization.ts'
import { listMembers } from './list-members.ts'
import { ListMembersQuery } from './member-query.ts'
import { removeMember } from './remove-member.ts'
import {
  ActiveRoleQuery,
  ActiveRoleResponse,
  LeaveBody,
  LeaveResponse,
  ListMembersResponse,
  RemoveMemberBody,
  RemoveMemberResponse,
  TransferOwnershipBody,
  TransferOwnershipResponse,
  UpdateMemberRoleBody,
  UpdateMemberRoleResponse,
} from './schemas.ts'
import { transferOwnership } from './transfer-ownership.ts'
import { updateMemberRole } from './update-member-role.ts'

export function registerMemberRoutes(app: HttpApp, context: Context): void {
  app.get(
    '/api/auth/organization/list-members',
    {
      config: { access: { organization: 'membership' }, rateLimit: 'list', impersonated: 'allowed' },
      schema: {
        summary: 'List the members of an organization, filtered, sorted and paged',
        querystring: ListMembersQuery,
        response: responses(ListMembersResponse),
      },
    },
    async (request) => {
      const { organization } = requireMembership(request)
      const { members, total } = await listMembers(context, organization.id, request.query)
      const message = `${organization.name} has ${total === 1 ? '1 matching member' : `${total} matching members`}.`
      return { message, members: members.map(toMemberOfUser), total }
    },
  )

  app.get(
    '/api/auth/organization/get-active-member',
    {
      config: { access: { organization: 'membership' }, rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: "Get the caller's membership in the active organization of the session",
        querystring: Query({}),
        response: responses(MemberOfUser),
      },
    },
    async (request) => toMemberOfUser({ ...requireMembership(request).member, user: requireCaller(request).user }),
  )

  app.get(
    '/api/auth/organization/get-active-member-role',
    {
      config: { access: { organization: 'membership' }, rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: 'Get the role of the caller, or of another member, in an organization',
        querystring: ActiveRoleQuery,
        response: responses(ActiveRoleResponse, 'MEMBER_NOT_FOUND'),
      },
    },
    async (request) => {
      const { organization, member } = requireMembership(request)
      const { userId = member.userId } = request.query
      const found = await findMember(context.database, organization.id, userId)
      if (!found) throw new ApiError('MEMBER_NOT_FOUND', { field: 'userId' })
      return { message: `The role in ${organization.name} is ${found.role}.`, role: found.role }
    },
  )

  app.post(
    '/api/auth/organization/leave',
    {
      config: { access: { organization: 'membership' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Leave an organization',
        body: LeaveBody,
        response: responses(
          LeaveResponse,
          'SESSION_NOT_FRESH',
          'TWO_FACTOR_REQUIRED',
          'FORBIDDEN',
          'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
        ),
      },
    },
    async (request) => {
      const membership = requireMembership(request)
      const caller = requireCaller(request)
      const { revokeApiKeys = false } = request.body
      const { member, keys } = await leaveOrganization(context, actorOf(request), caller, membership, { revokeApiKeys })
      const message = `You have left ${membership.organization.name}.`
      return { message, ...toMember(member), ...toKeysOfLeaver(keys) }
    },
  )

  app.post(
    '/api/auth/organization/remove-member',
    {
      config: { access: { organization: 'member.delete' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Remove a member from an organization, by member id or email address',
        body: RemoveMemberBody,
        response: responses(
          RemoveMemberResponse,
          'SESSION_NOT_FRESH',
          'TWO_FACTOR_REQUIRED',
          'INVALID_EMAIL',
          'MEMBER_NOT_FOUND',
          'YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER',
          'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
        ),
      },
    },
    async (request) => {
      const { memberIdOrEmail, revokeApiKeys = false } = request.body
      const input = { memberIdOrEmail, revokeApiKeys }
      const caller = requireCaller(request)
      const { member, keys } = await removeMember(context, actorOf(request), caller, requireMembership(request), input)
      return { member: toMember(member), ...toKeysOfLeaver(keys) }
    },
  )

  app.post(
    '/api/auth/organization/update-member-role',
    {
      config: { access: { organization: 'member.update' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Set the role of a member',
        body: UpdateMemberRoleBody,
        response: responses(
          UpdateMemberRoleResponse,
          'SESSION_NOT_FRESH',
          'TWO_FACTOR_REQUIRED',
          'ROLE_NOT_FOUND',
          'MEMBER_NOT_FOUND',
          'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER',
          'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
        ),
      },
    },
    async (request) => {
      const { memberId, role } = request.body
      const input = { memberId, role: toRole(role) }
      const caller = requireCaller(request)
      const changed = await updateMemberRole(context, actorOf(request), caller, requireMembership(request), input)
      const member = toMember(changed)
      return { ...member, member }
    },
  )

  app.post(
    '/api/auth/organization/transfer-ownership',
    {
      config: { access: { organization: 'member.update', fresh: true }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Make another member an owner, and the caller, who is an owner, an admin',
        body: TransferOwnershipBody,
        response: responses(
          TransferOwnershipResponse,
          'MEMBER_NOT_FOUND',
          'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER',
          'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
        ),
      },
    },
    async (request) => {
      const caller = requireCaller(request)
      const { memberId } = request.body
      const members = await transferOwnership(context, actorOf(request), caller, requireMembership(request), memberId)
      return { members: members.map(toMember) }
    },
  )
}
