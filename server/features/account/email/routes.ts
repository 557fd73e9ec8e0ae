import { callerOf } from '../../../core/access/access.ts'
import type { RateLimits } from '../../../core/access/rate-limits.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { toUser } from '../../../core/users/wire.ts'
import { findAllowedCallbackUrl, parseOptionalCallbackUrl } from '../../../platform/http/callback-url.ts'
import { orRedirect } from '../../../platform/http/redirect-with-error.ts'
import { answers, redirectAnswer, StatusAnswer } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/typed-app.ts'
import { changeEmail } from './change-email.ts'
import {
  ChangeEmailAnswer,
  ChangeEmailBody,
  SendVerificationBody,
  UndoEmailChangeBody,
  VerifyEmailAnswer,
  VerifyEmailQuery,
} from './schemas.ts'
import { sendVerificationEmail } from './send-verification-email.ts'
import { undoEmailChange } from './undo-email-change.ts'
import { verifyEmail } from './verify-email.ts'

/** Proving an address, changing it, and taking an account back by the earlier one. */
export function registerEmailRoutes(app: App, context: Context, rateLimits: RateLimits): void {
  const { config, now } = context

  app.post(
    '/api/auth/send-verification-email',
    {
      config: { access: 'anyone', rateLimit: 'mail', impersonated: 'refused' },
      schema: {
        summary: 'Have a link mailed that proves an address',
        body: SendVerificationBody,
        response: answers(StatusAnswer, 'INVALID_EMAIL', 'INVALID_CALLBACK_URL'),
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
        summary: 'Use the link that proves an address, or that changes to it',
        querystring: VerifyEmailQuery,
        response: {
          ...answers(VerifyEmailAnswer, 'INVALID_TOKEN', 'EMAIL_ALREADY_IN_USE', 'INVALID_CALLBACK_URL'),
          ...redirectAnswer('callbackURL, where there is one; with `error` when the link is refused'),
        },
      },
    },
    async (request, reply) => {
      const { callbackUrl } = parseOptionalCallbackUrl(config, request.query.callbackURL)
      return orRedirect(reply, config.baseUrl, callbackUrl, async () => {
        const verified = await rateLimits.countGuess(request, () =>
          verifyEmail(context, actorOf(request), request.query.token),
        )
        const callbackURL = findAllowedCallbackUrl(config, verified.callbackUrl)
        return { user: toUser(verified.user, now()), status: true, ...(callbackURL !== undefined && { callbackURL }) }
      })
    },
  )

  app.post(
    '/api/auth/change-email',
    {
      config: { access: 'fresh session', rateLimit: 'mail', impersonated: 'refused' },
      schema: {
        summary: 'Have a link mailed to a new address; using it changes the account to it',
        body: ChangeEmailBody,
        response: answers(ChangeEmailAnswer, 'INVALID_EMAIL', 'INVALID_CALLBACK_URL'),
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const callbackUrl = parseOptionalCallbackUrl(config, request.body.callbackURL)
      await changeEmail(context, actorOf(request), caller, {
        newEmail: request.body.newEmail,
        ...callbackUrl,
      })
      const message =
        'If this address can be used, a letter is on its way to it. The account changes when its link is used.'
      return { user: toUser(caller.user, now()), status: true, message }
    },
  )

  app.post(
    '/api/undo-change-email',
    {
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: 'Take the account back with the link that the earlier address got',
        body: UndoEmailChangeBody,
        response: answers(StatusAnswer, 'INVALID_TOKEN', 'EMAIL_ALREADY_IN_USE'),
      },
    },
    async (request) => {
      await rateLimits.countGuess(request, () => undoEmailChange(context, actorOf(request), request.body.token))
      return { status: true }
    },
  )
}
