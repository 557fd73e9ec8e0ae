import { requireCaller, requireStaff } from '../../../core/access/access.ts'
import { toRole } from '../../../core/access/one-role.ts'
import { answerPermissions, PermissionsResponse } from '../../../core/access/permissions-response.ts'
import { listStaffPermissions } from '../../../core/access/staff-permissions.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { NEW_PASSWORD_ERRORS } from '../../../core/credentials/parse-password.ts'
import { getUser } from '../../../core/users/find-user.ts'
import { MANAGED_USER_ERRORS } from '../../../core/users/lock-managed-user.ts'
import { UserResponse } from '../../../core/users/schemas.ts'
import { toUser } from '../../../core/users/wire.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { responses, StatusResponse } from '../../../platform/http/schemas.ts'
import { toKeysOfLeaver } from '../../organizations/api-keys/leaver-wire.ts'
import { createUserByStaff } from './create-user-by-staff.ts'
import { getRequestedRole } from './get-requested-role.ts'
import { removeUser } from './remove-user.ts'
import {
  CreateUserByStaffBody,
  GetUserQuery,
  PermissionsBody,
  RemoveUserBody,
  RemoveUserResponse,
  SendPasswordLinkBody,
  SetRoleBody,
  SetUserPasswordBody,
  UpdateUserByStaffBody,
} from './schemas.ts'
import { sendPasswordLink } from './send-password-link.ts'
import { setRole } from './set-role.ts'
import { setUserPassword } from './set-user-password.ts'
import { updateUserByStaff } from './update-user-by-staff.ts'
import { parseUserData } from './user-data.ts'

export function registerStaffUserRoutes(app: HttpApp, context: Context): void {
  const answerUser = (user: UserRow) => ({ user: toUser(user, context.now()) })

  app.get(
    '/api/auth/admin/get-user',
    {
      config: { access: { staff: 'user.get' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Get a user by id; by default the caller',
        querystring: GetUserQuery,
        response: responses(UserResponse, 'USER_NOT_FOUND'),
      },
    },
    async (request) => {
      return answerUser(await getUser(context.database, request.query.id ?? requireCaller(request).user.id, 'id'))
    },
  )

  app.post(
    '/api/auth/admin/create-user',
    {
      config: { access: { staff: 'user.create', fresh: true }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Create a user; without a password, the user gets a link to choose one',
        body: CreateUserByStaffBody,
        response: responses(
          UserResponse,
          'FIELD_NOT_ALLOWED',
          'INVALID_EMAIL',
          ...NEW_PASSWORD_ERRORS,
          'YOU_ARE_NOT_ALLOWED_TO_SET_NON_EXISTENT_VALUE',
          'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL',
        ),
      },
    },
    async (request) => {
      const { data = {}, role = 'user', ...body } = request.body
      const { named, properties } = parseUserData(data, 'create-user')
      const newUser = { ...named, ...body, role: toRole(role), properties }
      return answerUser(await createUserByStaff(context, actorOf(request), requireStaff(request), newUser))
    },
  )

  app.post(
    '/api/auth/admin/update-user',
    {
      config: { access: { staff: 'user.update', fresh: true }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: "Update a user's name, picture, email address or custom properties",
        body: UpdateUserByStaffBody,
        response: responses(
          UserResponse,
          ...MANAGED_USER_ERRORS,
          'NO_DATA_TO_UPDATE',
          'FIELD_NOT_ALLOWED',
          'PASSWORD_CANNOT_BE_UPDATED_VIA_UPDATE_USER',
          'INVALID_EMAIL',
          'YOU_ARE_NOT_ALLOWED_TO_SET_USERS_EMAIL',
          'USER_HAS_TWO_FACTOR',
          'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL',
        ),
      },
    },
    async (request) => {
      const { userId, data } = request.body
      const { named, properties } = parseUserData(data, 'update-user')
      const change = { ...named, properties }
      return answerUser(await updateUserByStaff(context, actorOf(request), requireStaff(request), userId, change))
    },
  )

  app.post(
    '/api/auth/admin/set-user-password',
    {
      config: { access: { staff: 'user.set-password', fresh: true }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Set the password of a user, revoke all sessions of the user and notify the user',
        body: SetUserPasswordBody,
        response: responses(
          StatusResponse,
          ...MANAGED_USER_ERRORS,
          ...NEW_PASSWORD_ERRORS,
          'YOU_ARE_NOT_ALLOWED_TO_SET_USERS_PASSWORD',
        ),
      },
    },
    async (request) => {
      await setUserPassword(context, actorOf(request), requireStaff(request), request.body)
      return { status: true }
    },
  )

  app.post(
    '/api/auth/admin/send-password-link',
    {
      config: { access: { staff: 'user.set-password', fresh: true }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Send a user a link to choose a new password; the password stays until then',
        body: SendPasswordLinkBody,
        response: responses(StatusResponse, 'BANNED_USER', ...MANAGED_USER_ERRORS),
      },
    },
    async (request) => {
      await sendPasswordLink(context, actorOf(request), requireStaff(request), request.body.userId)
      return { status: true }
    },
  )

  app.post(
    '/api/auth/admin/remove-user',
    {
      config: { access: { staff: 'user.delete', fresh: true }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary:
          "Delete a user with all sessions, credentials, and organizations without another member; this can't be undone",
        body: RemoveUserBody,
        response: responses(
          RemoveUserResponse,
          ...MANAGED_USER_ERRORS,
          'YOU_CANNOT_REMOVE_YOURSELF',
          'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
        ),
      },
    },
    async (request) => {
      const { userId, revokeApiKeys = false } = request.body
      const input = { userId, revokeApiKeys }
      const keys = await removeUser(context, actorOf(request), requireStaff(request), input)
      return { success: true, ...toKeysOfLeaver(keys) }
    },
  )

  app.post(
    '/api/auth/admin/set-role',
    {
      config: { access: { staff: 'user.set-role', fresh: true }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Set the role of a user: user, support or admin',
        body: SetRoleBody,
        response: responses(
          UserResponse,
          ...MANAGED_USER_ERRORS,
          'YOU_ARE_NOT_ALLOWED_TO_SET_NON_EXISTENT_VALUE',
          'YOU_ARE_NOT_ALLOWED_TO_CHANGE_USERS_ROLE',
        ),
      },
    },
    async (request) => {
      const { userId, role } = request.body
      return answerUser(await setRole(context, actorOf(request), requireStaff(request), { userId, role: toRole(role) }))
    },
  )

  app.post(
    '/api/auth/admin/has-permission',
    {
      config: { access: 'session', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: "Whether a role grants all of these permissions: the caller's, the named one, or another user's",
        body: PermissionsBody,
        response: responses(
          PermissionsResponse,
          'EMAIL_NOT_VERIFIED',
          'FORBIDDEN',
          'TWO_FACTOR_REQUIRED',
          'USER_NOT_FOUND',
          'YOU_ARE_NOT_ALLOWED_TO_SET_NON_EXISTENT_VALUE',
        ),
      },
    },
    async (request) => {
      const { permissions, ...question } = request.body
      const role = await getRequestedRole(context, requireCaller(request), question)
      return answerPermissions(permissions, listStaffPermissions(role))
    },
  )
}
