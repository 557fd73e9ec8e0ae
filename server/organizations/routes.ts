import { actorOf } from '../audit/actor.ts'
import type { Context } from '../context.ts'
import { callerOf } from '../http/access.ts'
import { answers } from '../http/schemas.ts'
import type { App } from '../http/typed-app.ts'
import { createOrganization } from './create-organization.ts'
import {
  CreatedOrganization,
  CreateOrganizationBody,
  OrganizationList,
  SetActiveAnswer,
  SetActiveBody,
} from './schemas.ts'
import { setActiveOrganization } from './set-active-organization.ts'
import { listOrganizationsOf } from './store.ts'
import { toMember, toOrganization } from './wire.ts'

/** Organizations: making one, choosing the active one, listing one's own. */
export function registerOrganizationRoutes(app: App, context: Context): void {
  app.post(
    '/api/auth/organization/create',
    {
      config: { access: 'verified session', rateLimit: 'change', impersonated: 'allowed' },
      schema: {
        summary: 'Make an organization and become its owner',
        body: CreateOrganizationBody,
        response: answers(CreatedOrganization, 'UNAUTHORIZED', 'EMAIL_NOT_VERIFIED', 'ORGANIZATION_SLUG_ALREADY_TAKEN'),
      },
    },
    async (request) => {
      const { keepCurrentActiveOrganization = false, name, slug, logo, metadata } = request.body
      const input = { name, slug, logo, metadata, keepCurrentActiveOrganization }
      const { organization, owner } = await createOrganization(context, actorOf(request), callerOf(request), input)
      return { ...toOrganization(organization), members: [toMember(owner)] }
    },
  )

  app.post(
    '/api/auth/organization/set-active',
    {
      config: { access: 'session', rateLimit: 'change', impersonated: 'allowed' },
      schema: {
        summary: "Choose the session's active organization, by id or slug; a null id clears it",
        body: SetActiveBody,
        response: answers(SetActiveAnswer, 'UNAUTHORIZED', 'ORGANIZATION_NOT_FOUND'),
      },
    },
    async (request) => {
      const { organizationId, organizationSlug } = request.body
      const reference = {
        ...(typeof organizationId === 'string' && { id: organizationId }),
        ...(organizationSlug !== undefined && { slug: organizationSlug }),
      }
      const isNamed = Object.keys(reference).length > 0
      const organization = await setActiveOrganization(context, callerOf(request), isNamed ? reference : null)
      return organization && toOrganization(organization)
    },
  )

  app.get(
    '/api/auth/organization/list',
    {
      config: { access: 'session', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: 'The organizations that the caller is in',
        response: answers(OrganizationList, 'UNAUTHORIZED'),
      },
    },
    async (request) => (await listOrganizationsOf(context.database, callerOf(request).user.id)).map(toOrganization),
  )
}
