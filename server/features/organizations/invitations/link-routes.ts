import type { RateLimits } from '../../../core/access/rate-limits.ts'
import type { Context } from '../../../core/context.ts'
import { INVITATION_ERRORS } from '../../../core/invitations/errors.ts'
import { getUsableInvitation } from '../../../core/invitations/get-usable-invitation.ts'
import { INVITATION_COOKIE_SECONDS } from '../../../core/invitations/reference.ts'
import { findUserByEmail } from '../../../core/users/find-user.ts'
import { type Cookies, INVITATION_COOKIE } from '../../../platform/http/cookies.ts'
import { isRefusal } from '../../../platform/http/errors.ts'
import { answers, redirectAnswer } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/typed-app.ts'
import { openInvitation } from './open-invitation.ts'
import { OpenedInvitationAnswer, ReferenceParameters } from './schemas.ts'
import { toOpenedInvitation } from './wire.ts'

/** What a browser meets that follows the letter's link. */
export function registerInvitationLinkRoutes(
  app: App,
  context: Context,
  cookies: Cookies,
  rateLimits: RateLimits,
): void {
  app.get(
    '/invite/:reference',
    {
      exposeHeadRoute: false,
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: "The target of the invitation letter's link: on to sign-up, sign-in or acceptance",
        params: ReferenceParameters,
        response: redirectAnswer(
          '/sign-up, /sign-in or /invitation; the last with `error` when the invitation is refused',
        ),
      },
    },
    async (request, reply) => {
      const { reference } = request.params
      try {
        const { invitation } = await rateLimits.countGuess(request, () => openInvitation(context, reference))
        cookies.set(reply, INVITATION_COOKIE, reference, INVITATION_COOKIE_SECONDS)
        if (request.caller) return reply.redirect('/invitation')
        const isKnown = await findUserByEmail(context.database, invitation.email)
        return reply.redirect(isKnown ? '/sign-in' : '/sign-up')
      } catch (error) {
        if (!isRefusal(error)) throw error
        cookies.clear(reply, INVITATION_COOKIE)
        return reply.redirect(`/invitation?error=${error.code}`)
      }
    },
  )

  app.get(
    '/api/invitation',
    {
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: 'The invitation whose link this browser followed; null when it followed none',
        response: answers(OpenedInvitationAnswer, ...INVITATION_ERRORS),
      },
    },
    async (request) => {
      const reference = cookies.read(request, INVITATION_COOKIE)
      if (reference === undefined) return null
      const details = await rateLimits.countGuess(request, () =>
        getUsableInvitation(context.database, context.now(), reference),
      )
      const user = await findUserByEmail(context.database, details.invitation.email)
      return toOpenedInvitation(details, user !== undefined)
    },
  )
}
