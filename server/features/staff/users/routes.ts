import { callerOf, staffOf } from '../../../core/access/access.ts'
import { toRole } from '../../../core/access/one-role.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { NEW_PASSWORD_ERRORS } from '../../../core/credentials/parse-password.ts'
import { findUser } from '../../../core/users/find-user.ts'
import { toUser } from '../../../core/users/wire.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { answers } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/typed-app.ts'
import { toKeysOfLeaver } from '../../organizations/api-keys/leaver-schemas.ts'
import { createUser } from './create-user.ts'
import { removeUser } from './remove-user.ts'
import {
  CreateUserBody,
  GetUserQuery,
  REFUSALS,
  RemoveUserAnswer,
  RemoveUserBody,
  SetUserPasswordAnswer,
  SetUserPasswordBody,
  UpdateUserBody,
  UserAnswer,
} from './schemas.ts'
import { setUserPassword } from './set-user-password.ts'
import { updateUser } from './update-user.ts'
import { parseUserData } from './user-data.ts'

/** Staff and the people they look after: their accounts, one at a time. */
export function registerStaffRoutes(app: App, context: Context): void {
  const answerUser = (user: UserRow) => ({ user: toUser(user, context.now()) })

  app.get(
    '/api/auth/admin/get-user',
    {
      config: { access: { staff: 'user.get' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Somebody, by id; without one, oneself',
        querystring: GetUserQuery,
        response: answers(UserAnswer, 'USER_NOT_FOUND'),
      },
    },
    async (request) => {
      const user = await findUser(context.database, request.query.id ?? callerOf(request).user.id)
      if (!user) throw new ApiError('USER_NOT_FOUND', { field: 'id' })
      return answerUser(user)
    },
  )

  app.post(
    '/api/auth/admin/create-user',
    {
      config: { access: { staff: 'user.create', fresh: true }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Make an account for somebody, who without a password gets a link to choose one',
        body: CreateUserBody,
        response: answers(
          UserAnswer,
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
      return answerUser(await createUser(context, actorOf(request), newUser))
    },
  )

  app.post(
    '/api/auth/admin/update-user',
    {
      config: { access: { staff: 'user.update', fresh: true }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: "Change a user's name, picture, address or custom properties",
        body: UpdateUserBody,
        response: answers(
          UserAnswer,
          ...REFUSALS,
          'NO_DATA_TO_UPDATE',
          'FIELD_NOT_ALLOWED',
          'PASSWORD_CANNOT_BE_UPDATED_VIA_UPDATE_USER',
          'INVALID_EMAIL',
          'YOU_ARE_NOT_ALLOWED_TO_SET_USERS_EMAIL',
          'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL',
        ),
      },
    },
    async (request) => {
      const { userId, data } = request.body
      const { named, properties } = parseUserData(data, 'update-user')
      const change = { ...named, properties }
      return answerUser(await updateUser(context, actorOf(request), staffOf(request), userId, change))
    },
  )

  app.post(
    '/api/auth/admin/set-user-password',
    {
      config: { access: { staff: 'user.set-password', fresh: true }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: "Set somebody's password; their sessions end, and they are told",
        body: SetUserPasswordBody,
        response: answers(
          SetUserPasswordAnswer,
          ...REFUSALS,
          ...NEW_PASSWORD_ERRORS,
          'YOU_ARE_NOT_ALLOWED_TO_SET_USERS_PASSWORD',
        ),
      },
    },
    async (request) => {
      await setUserPassword(context, actorOf(request), staffOf(request), request.body)
      return { status: true }
    },
  )

  app.post(
    '/api/auth/admin/remove-user',
    {
      config: { access: { staff: 'user.delete', fresh: true }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Delete somebody, with all sessions and accounts; it can not be undone',
        body: RemoveUserBody,
        response: answers(
          RemoveUserAnswer,
          ...REFUSALS,
          'YOU_CANNOT_REMOVE_YOURSELF',
          'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
        ),
      },
    },
    async (request) => {
      const { userId, revokeApiKeys = false } = request.body
      const input = { userId, revokeApiKeys }
      const keys = await removeUser(context, actorOf(request), staffOf(request), input)
      return { success: true, ...toKeysOfLeaver(keys) }
    },
  )
}
