import { requireCaller } from '../../../core/access/access.ts'
import { assertFreshSession } from '../../../core/access/freshness.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { verifyCallerPassword } from '../../../core/credentials/verify-caller-password.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { findAllowedCallbackUrl, parseOptionalCallbackUrl } from '../../../platform/http/callback-url.ts'
import { type Cookies, SESSION_COOKIE } from '../../../platform/http/cookies.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { runAndRedirect } from '../../../platform/http/run-and-redirect.ts'
import { redirectResponse, responses } from '../../../platform/http/schemas.ts'
import { deleteByLink } from './delete-by-link.ts'
import { deleteOwnUser } from './delete-own-user.ts'
import { previewDeletion } from './preview-deletion.ts'
import { requestDeletion } from './request-deletion.ts'
import { DeleteUserBody, DeleteUserQuery, DeleteUserResponse, DeletionPreview } from './schemas.ts'

const DELETED = { success: true, message: 'User deleted' }

export function registerDeletionRoutes(app: HttpApp, context: Context, cookies: Cookies, rateLimits: RateLimits): void {
  const { config } = context

  app.post(
    '/api/auth/delete-user',
    {
      config: { access: 'session', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary:
          'Delete the account with the password or the token of an email; without them, send an email with a link',
        body: DeleteUserBody,
        response: responses(
          DeleteUserResponse,
          'INVALID_PASSWORD',
          'CREDENTIAL_ACCOUNT_NOT_FOUND',
          'PASSWORD_TOO_LONG',
          'INVALID_TOKEN',
          'SESSION_NOT_FRESH',
          'LAST_ADMINISTRATOR',
          'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
          'DELETION_CHANGED',
          'VALIDATION_ERROR',
          'INVALID_CALLBACK_URL',
        ),
      },
    },
    async (request, reply) => {
      const { password, token, callbackURL, expectedOrganizationsDeleted: expectedIds } = request.body
      const callback = parseOptionalCallbackUrl(config, callbackURL)
      if (expectedIds !== undefined && password === undefined)
        throw new ApiError('VALIDATION_ERROR', {
          field: 'expectedOrganizationsDeleted',
          message: 'expectedOrganizationsDeleted needs the password.',
        })
      const caller = requireCaller(request)
      const actor = actorOf(request)
      if (token !== undefined) {
        const { userId } = await rateLimits.countGuess(request, () => deleteByLink(context, actor, token))
        if (userId === caller.user.id) cookies.clear(reply, SESSION_COOKIE)
        return DELETED
      }
      if (password !== undefined) {
        await verifyCallerPassword(context, rateLimits, actor, caller, password, 'password')
        await deleteOwnUser(context, actor, caller, expectedIds)
        cookies.clear(reply, SESSION_COOKIE)
        return DELETED
      }
      assertFreshSession(context, caller)
      await requestDeletion(context, actor, caller, callback)
      return { success: true, message: 'Verification email sent' }
    },
  )

  app.get(
    '/api/auth/delete-user/preview',
    {
      config: { access: 'session', rateLimit: 'slow list', impersonated: 'refused' },
      schema: {
        summary: 'List what a deletion of the account would delete now, and what prevents it',
        response: responses(DeletionPreview),
      },
    },
    async (request) => previewDeletion(context, requireCaller(request).user),
  )

  app.get(
    '/api/auth/delete-user/callback',
    {
      exposeHeadRoute: false,
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: 'Delete the account with the token of an email',
        querystring: DeleteUserQuery,
        response: {
          ...responses(
            DeleteUserResponse,
            'INVALID_TOKEN',
            'LAST_ADMINISTRATOR',
            'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
            'INVALID_CALLBACK_URL',
          ),
          ...redirectResponse('callbackURL if the query has one; with `error` when the token is not usable'),
        },
      },
    },
    async (request, reply) => {
      const { callbackUrl } = parseOptionalCallbackUrl(config, request.query.callbackURL)
      return runAndRedirect(reply, config.baseUrl, callbackUrl, async () => {
        const token = request.query.token ?? ''
        const deletion = () => deleteByLink(context, actorOf(request), token)
        const { callbackUrl: requestedUrl } = await rateLimits.countGuess(request, deletion)
        const callbackURL = findAllowedCallbackUrl(config, requestedUrl)
        return { ...DELETED, ...(callbackURL !== undefined && { callbackURL }) }
      })
    },
  )
}
