import { requireCaller } from '../../../core/access/access.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { findMembership } from '../../../core/memberships/find-membership.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { responses } from '../../../platform/http/schemas.ts'
import type { Providers } from '../provider/provider.ts'
import { answerConsent } from './answer-consent.ts'
import { describeInteraction } from './describe-interaction.ts'
import { getInteraction, interactionIdIn } from './get-interaction.ts'
import {
  ChooseOrganizationBody,
  ChooseOrganizationResponse,
  ConsentBody,
  ConsentResponse,
  GetInteractionQuery,
  InteractionResponse,
} from './schemas.ts'

export function registerInteractionRoutes(app: HttpApp, context: Context, providers: Providers): void {
  app.get(
    '/api/auth/oauth2/get-interaction',
    {
      config: { access: 'anyone', rateLimit: 'list', impersonated: 'allowed' },
      schema: {
        summary: 'What an app asks for, for the page that asks the user',
        querystring: GetInteractionQuery,
        response: responses(InteractionResponse, 'INTERACTION_NOT_FOUND'),
      },
    },
    async ({ caller, query }) =>
      describeInteraction(context, caller, await getInteraction(context, providers, caller, query.interaction)),
  )

  app.post(
    '/api/auth/oauth2/consent',
    {
      config: { access: 'verified session', rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Allow or refuse what an app asks for',
        body: ConsentBody,
        response: responses(
          ConsentResponse,
          'INTERACTION_NOT_FOUND',
          'OAUTH_CLIENT_NOT_FOUND',
          'OAUTH_CONSENT_LIMIT_REACHED',
          'ORGANIZATION_NOT_FOUND',
          'VALIDATION_ERROR',
        ),
      },
    },
    async (request) => {
      const caller = requireCaller(request)
      const { oauth_query, ...answer } = request.body
      const interaction = await getInteraction(context, providers, caller, interactionIdIn(oauth_query))
      await answerConsent(context, actorOf(request), caller, interaction, answer)
      return { redirect: true, url: interaction.resumeUrl, redirect_uri: interaction.resumeUrl }
    },
  )

  app.post(
    '/api/auth/oauth2/choose-organization',
    {
      config: { access: 'verified session', rateLimit: 'change', impersonated: 'allowed' },
      schema: {
        summary: 'Choose the organization for which an app gets tokens',
        body: ChooseOrganizationBody,
        response: responses(ChooseOrganizationResponse, 'INTERACTION_NOT_FOUND', 'ORGANIZATION_NOT_FOUND'),
      },
    },
    async (request) => {
      const caller = requireCaller(request)
      const { organizationId: id, oauth_query } = request.body
      const interaction = await getInteraction(context, providers, caller, interactionIdIn(oauth_query))
      if (interaction.kind !== 'organization') throw new ApiError('INTERACTION_NOT_FOUND')
      if (!(await findMembership(context.database, caller.user.id, { id })))
        throw new ApiError('ORGANIZATION_NOT_FOUND', { field: 'organizationId' })
      await interaction.save({ organization: { userId: caller.user.id, id } })
      return { url: interaction.resumeUrl }
    },
  )
}
