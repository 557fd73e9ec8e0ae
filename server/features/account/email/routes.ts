import { requireCaller } from '../../../core/access/access.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { toUser } from '../../../core/users/wire.ts'
import { findAllowedCallbackUrl, parseOptionalCallbackUrl } from '../../../platform/http/callback-url.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { runAndRedirect } from '../../../platform/http/run-and-redirect.ts'
import { redirectResponse, responses, StatusResponse } from '../../../platform/http/schemas.ts'
import { changeEmail } from './change-email.ts'
import {
  ChangeEmailBody,
  ChangeEmailResponse,
  SendVerificationBody,
  UndoEmailChangeBody,
  VerifyEmailQuery,
  VerifyEmailResponse,
} from './schemas.ts'
import { sendVerificationEmail } from './send-verification-email.ts'
import { undoEmailChange } from './undo-email-change.ts'
import { verifyEmail } from './verify-email.ts'

export function registerEmailRoutes(app: HttpApp, context: Context, rateLimits: RateLimits): void {
  const { config, now } = context

  app.post(
    '/api/auth/send-verification-email',
    {
      config: { access: 'anyone', rateLimit: 'mail', impersonated: 'refused' },
      schema: {
        summary: 'Send an email with a link that verifies the email address',
        body: SendVerificationBody,
        response: responses(StatusResponse, 'INVALID_EMAIL', 'INVALID_CALLBACK_URL'),
      },
    },
    async (request) => {
      const callbackUrl = parseOptionalCallbackUrl(config, request.body.callbackURL)
      await sendVerificationEmail(context, actorOf(request), { email: request.body.email, ...callbackUrl })
      return { status: true }
    },
  )

  app.get(
    '/api/auth/verify-email',
    {
      exposeHeadRoute: false,
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: 'Verify an email address, or change to it, with the token of an email',
        querystring: VerifyEmailQuery,
        response: {
          ...responses(VerifyEmailResponse, 'INVALID_TOKEN', 'EMAIL_ALREADY_IN_USE', 'INVALID_CALLBACK_URL'),
          ...redirectResponse('callbackURL if the query has one; with `error` when the token is not usable'),
        },
      },
    },
    async (request, reply) => {
      const { callbackUrl } = parseOptionalCallbackUrl(config, request.query.callbackURL)
      return runAndRedirect(reply, config.baseUrl, callbackUrl, async () => {
        const verified = await rateLimits.countGuess(request, () =>
          verifyEmail(context, actorOf(request), request.query.token),
        )
        const callbackURL = findAllowedCallbackUrl(config, verified.callbackUrl)
        return {
          user: toUser(verified.user, now()),
          status: true,
          passwordLinkSent: verified.passwordLinkSent,
          ...(callbackURL !== undefined && { callbackURL }),
        }
      })
    },
  )

  app.post(
    '/api/auth/change-email',
    {
      config: { access: 'fresh session', rateLimit: 'mail', impersonated: 'refused' },
      schema: {
        summary: 'Send an email to a new email address, with a link that changes the account to it',
        body: ChangeEmailBody,
        response: responses(ChangeEmailResponse, 'INVALID_EMAIL', 'INVALID_CALLBACK_URL', 'TWO_FACTOR_REQUIRED'),
      },
    },
    async (request) => {
      const caller = requireCaller(request)
      const callbackUrl = parseOptionalCallbackUrl(config, request.body.callbackURL)
      await changeEmail(context, actorOf(request), caller, {
        newEmail: request.body.newEmail,
        ...callbackUrl,
      })
      const message =
        'If this email address can be used, we have sent an email to it. The account changes when its link is used.'
      return { user: toUser(caller.user, now()), status: true, message }
    },
  )

  app.post(
    '/api/undo-change-email',
    {
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: 'Restore the earlier email address with the token of an email',
        body: UndoEmailChangeBody,
        response: responses(StatusResponse, 'INVALID_TOKEN', 'EMAIL_ALREADY_IN_USE'),
      },
    },
    async (request) => {
      await rateLimits.countGuess(request, () => undoEmailChange(context, actorOf(request), request.body.token))
      return { status: true }
    },
  )
}
